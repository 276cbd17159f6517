"""Changes to a model that are tried out, on real PyTorch: results stay, and what autograd saves shrinks as it should."""
import unittest

from model_harness import Accounted, needs_torch, torch

if torch is not None:
    from torch import nn
    import model_zoo as zoo

KINDS = ({"kind": "checkpoint", "every": 2}, {"kind": "nano-batch", "chunks": 3})


def blocks(count):
    return nn.Sequential(*[around(nn.Sigmoid()) for _ in range(count)])


def around(layer):
    return nn.Sequential(nn.Linear(10, 40), layer, nn.Linear(40, 10))


@needs_torch
class Trials(unittest.TestCase):
    def run_both(self, make, inputs, trial, steps=3):
        """(plain, tried): each the losses and what the model gives in the end; and the account of the tried one."""
        found = []
        for tried in (None, trial):
            torch.manual_seed(11)
            model = make()
            optimizer = torch.optim.SGD(model.parameters(), 0.05, 0.9)
            with Accounted(steps=2, trial=tried) as seen:
                results = zoo.train(model, inputs, optimizer, steps)
                with torch.no_grad():
                    results += model.eval()(inputs).flatten().tolist()
            self.assertEqual(seen.warnings, [])
            found.append(results)
        return found[0], found[1], seen

    def assertClose(self, plain, tried):
        self.assertTrue(torch.allclose(torch.tensor(plain), torch.tensor(tried), rtol=1e-4, atol=1e-5), (plain, tried))

    def test_results_are_the_same(self):
        for trial in KINDS + ({"kind": "in-place"},):
            for make, inputs in ((zoo.LeNet, zoo.images(8)), (lambda: around(nn.Tanh()), torch.randn(8, 10))):
                with self.subTest(trial=trial["kind"], make=make):
                    self.assertClose(*self.run_both(make, inputs, trial)[:2])

    def test_what_is_not_there_to_change_is_refused(self):
        for trial in KINDS + ({"kind": "in-place"},):
            with self.subTest(trial=trial["kind"]):
                plain, tried, seen = self.run_both(lambda: nn.Linear(6, 10), torch.randn(8, 6), trial)
                self.assertClose(plain, tried)
                record = seen.of("trial")[0]
                self.assertEqual(record["applied"], "")
                self.assertTrue(record["refused"])

    def test_a_checkpoint_updates_running_statistics_once(self):
        plain, tried, seen = self.run_both(zoo.ResNet, zoo.images(8), {"kind": "checkpoint", "every": 2})
        self.assertClose(plain, tried)
        self.assertEqual(seen.of("trial")[0]["applied"], "3 layers in 2 groups")
        self.assertTrue(seen.of("step", grad=True)[-1]["checkpointed"])

    def test_a_checkpoint_saves_the_input_of_each_group_only(self):
        for every, kept in ((1, 5), (2, 2), (3, 1), (6, 0)):
            seen = self.run_both(lambda: blocks(6), torch.randn(8, 10), {"kind": "checkpoint", "every": every})[2]
            layers = [row for row in seen.rows(0) if row[6] == "layer"]
            self.assertEqual(sum(row[2] for row in layers), kept * 8 * 10 * 4, every)

    def test_dropout_is_drawn_once_with_a_checkpoint(self):
        self.assertClose(*self.run_both(lambda: around(nn.Dropout(0.5)), torch.randn(8, 10),
                                        {"kind": "checkpoint", "every": 3})[:2])

    def test_nano_batches_keep_the_inputs_of_layers_only(self):
        plain, tried, seen = self.run_both(lambda: blocks(4), torch.randn(7, 10), {"kind": "nano-batch", "chunks": 3})
        self.assertClose(plain, tried)
        self.assertEqual(seen.of("trial")[0]["applied"], "4 layers, each in 3 parts of the batch")
        layers = [row for row in seen.rows(0) if row[6] == "layer"]
        self.assertEqual(sum(row[2] for row in layers), 3 * 7 * 10 * 4)

    def test_nano_batches_are_refused_where_a_layer_needs_the_whole_batch(self):
        class Centred(nn.Module):
            def forward(self, value):
                return value - value.mean(0)

        for layer in (lambda: nn.BatchNorm1d(40), Centred):
            with self.subTest(layer=layer):
                plain, tried, seen = self.run_both(lambda: around(layer()), torch.randn(8, 10),
                                                   {"kind": "nano-batch", "chunks": 2})
                self.assertClose(plain, tried)
                self.assertIn("Layer 1", seen.of("trial")[0]["refused"])

    def test_working_in_place_is_left_where_others_need_the_input(self):
        class Skips(nn.Module):
            """The second activation's input is read again."""

            def __init__(self):
                super(Skips, self).__init__()
                self.first, self.second, self.head = nn.Linear(6, 9), nn.Linear(9, 9), nn.Linear(9, 10)
                self.one, self.two, self.three = nn.ReLU(), nn.ReLU(), nn.ReLU()

            def forward(self, value):
                inner = self.second(self.one(self.first(value)))
                return self.head(self.two(inner) + inner + self.three(torch.tanh(inner)))

        models = []

        def make():
            models.append(Skips())
            return models[-1]

        plain, tried, seen = self.run_both(make, torch.randn(8, 6), {"kind": "in-place"})
        self.assertClose(plain, tried)
        self.assertEqual([models[1].one.inplace, models[1].two.inplace, models[1].three.inplace], [True, False, False])
        self.assertEqual(seen.of("trial")[0]["applied"],
                         "1 activation layers, from the second step on; 2 others stay as they were, as their input is "
                         "needed elsewhere")

    def test_working_in_place_saves_what_the_activation_would_keep(self):
        seen = self.run_both(lambda: around(nn.LeakyReLU()), torch.randn(8, 10), {"kind": "in-place"})[2]
        saved = [sum(row[2] for row in seen.rows(0, step) if row[6] == "layer") for step in (1, 2)]
        self.assertEqual(saved, [2 * 8 * 40 * 4, 8 * 40 * 4])

    def test_mixed_precision_is_around_the_model_and_gives_float32(self):
        dtypes = []

        def make():
            model = nn.Sequential(nn.Linear(6, 9), nn.Linear(9, 10))
            model.register_forward_hook(lambda module, inputs, output: dtypes.append(output.dtype))
            return model

        plain, tried, seen = self.run_both(make, torch.randn(8, 6), {"kind": "amp"})
        self.assertTrue(torch.allclose(torch.tensor(plain), torch.tensor(tried), atol=0.05))
        self.assertIn(torch.bfloat16, dtypes)
        self.assertTrue(all(step["autocast"] for step in seen.of("step", root=0)))
        self.assertIn("bfloat16", seen.of("trial")[0]["applied"])


if __name__ == "__main__":
    unittest.main()
