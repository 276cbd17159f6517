"""The model account, on real PyTorch: every figure against what PyTorch itself holds."""
import gc
import inspect
import re
import threading
import unittest
from unittest import mock

from model_harness import Accounted, needs_torch, saved_in_graph, torch

if torch is not None:
    from torch import nn
    from torch.nn import functional
    from torch.utils import checkpoint
    import model_zoo as zoo


def size(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def state_size(optimizer):
    return size(value for state in optimizer.state.values() for value in state.values() if torch.is_tensor(value))


@needs_torch
class Figures(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)

    def test_parameters_buffers_gradients_and_state_are_exact(self):
        optimizers = {"SGD": lambda p: torch.optim.SGD(p, 0.1), "momentum": lambda p: torch.optim.SGD(p, 0.1, 0.9),
                      "Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}
        for model_name, (make, batch) in sorted(zoo.MODELS.items()):
            for optimizer_name, optimize in sorted(optimizers.items()):
                with self.subTest(model=model_name, optimizer=optimizer_name):
                    model = make()
                    optimizer = optimize(model.parameters())
                    with Accounted() as seen:
                        zoo.train(model, batch(), optimizer)
                    self.assertEqual(seen.owned(), size(model.parameters()))
                    self.assertEqual(seen.owned("buffers"), size(model.buffers()))
                    rows = seen.of("gradients", root=0)[0]["rows"]
                    self.assertEqual(sum(row[2] for row in rows), size(p.grad for p in model.parameters()))
                    state = seen.of("optimizer")[0]
                    self.assertEqual(sum(row[2] for row in state["rows"]), state_size(optimizer))
                    self.assertEqual(state["other"], 0)
                    numbers = set(row[1] for record in seen.of("module") for row in record["parameters"])
                    self.assertLessEqual(set(row[1] for row in rows + state["rows"]), numbers)

    def test_activations_are_what_the_graph_holds(self):
        for name, (make, batch) in sorted(zoo.MODELS.items()):
            for training in (True, False):
                with self.subTest(model=name, training=training):
                    model, inputs = make().train(training), batch()
                    target = torch.arange(inputs.shape[0]) % 10
                    owned = list(model.parameters()) + list(model.buffers())
                    held = saved_in_graph(nn.CrossEntropyLoss()(model(inputs), target), owned)
                    with Accounted() as seen:
                        zoo.train(model, inputs)
                    self.assertGreater(held, 1000)
                    self.assertEqual(seen.saved(), held)

    def test_each_activation_is_charged_to_the_layer_that_saved_it(self):
        model, inputs = zoo.LeNet(), zoo.images(4)
        with Accounted() as seen:
            zoo.train(model, inputs)
        names = dict((record["module"], record["name"]) for record in seen.of("module", root=0))
        shapes = [(names[row[0]], row[3], row[6]) for row in seen.rows() if row[4] == "float32"]
        self.assertEqual(shapes[:3], [("features.0", [4, 3, 32, 32], "input"), ("features.1", [4, 6, 28, 28], "layer"),
                                      ("features.3", [4, 6, 14, 14], "layer")])
        self.assertTrue(all(row[5] for row in seen.rows()))

    def test_what_a_loss_function_saves_comes_after_the_model(self):
        model = nn.Linear(8, 5)
        with Accounted() as seen:
            functional.cross_entropy(model(torch.randn(6, 8)), torch.zeros(6, dtype=torch.long)).backward()
        after = [row for row in seen.rows() if row[6] == "after"]
        self.assertIn(([6, 5], 120), [(row[3], row[2]) for row in after])
        self.assertEqual(set(row[0] for row in after), set([0]))

    def test_a_loss_module_is_a_root_of_its_own_with_its_models_step(self):
        with Accounted() as seen:
            zoo.train(zoo.LeNet(), zoo.images(), steps=2)
        self.assertEqual([record["type"] for record in seen.of("root")], ["LeNet", "CrossEntropyLoss"])
        self.assertEqual(sorted(record["step"] for record in seen.of("step", root=1)), [1, 2])
        own = [row for row in seen.rows(1) if row[4] == "float32" and row[6] == "layer"]
        self.assertEqual(sum(row[2] for row in own), 4 * 10 * 4 + 4)

    def test_a_storage_that_the_model_has_saved_already_counts_nothing_with_the_loss(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid())
        with Accounted() as seen:
            nn.MSELoss()(model(torch.randn(3, 4)), torch.zeros(3, 4)).backward()
        first = seen.rows(0)[-1]
        self.assertEqual([row[2] for row in seen.rows(1) if row[1] == first[1]], [0])

    def test_what_is_freed_before_the_forward_ends_is_not_held(self):
        class Discards(nn.Module):
            def __init__(self):
                super(Discards, self).__init__()
                self.inner = nn.Linear(10, 10)

            def forward(self, value):
                torch.sigmoid(self.inner(value))  # nobody wants it
                return self.inner(value)

        with Accounted() as seen:
            Discards()(torch.randn(5, 10)).sum().backward()
        self.assertEqual([row[6] for row in seen.rows()], ["input"])

    def test_tied_weights_count_once(self):
        class Tied(nn.Module):
            def __init__(self):
                super(Tied, self).__init__()
                self.encode = nn.Embedding(20, 8)
                self.decode = nn.Linear(8, 20, bias=False)
                self.decode.weight = self.encode.weight
                self.register_buffer("view", self.encode.weight.data[:3])

            def forward(self, words):
                return self.decode(self.encode(words))

        model = Tied()
        optimizer = torch.optim.Adam(model.parameters())
        with Accounted() as seen:
            model(torch.zeros(4, dtype=torch.long)).sum().backward()
            optimizer.step()
        self.assertEqual(seen.owned() + seen.owned("buffers"), 20 * 8 * 4)
        numbers = [row[1] for record in seen.of("module") for row in record["parameters"] + record["buffers"]]
        self.assertEqual(len(numbers), 3)
        self.assertEqual(len(set(numbers)), 1)
        self.assertEqual(sum(row[2] for row in seen.of("gradients")[0]["rows"]), 20 * 8 * 4)

    def test_state_that_belongs_to_no_layer_is_told_apart(self):
        model, free = nn.Linear(4, 4), nn.Parameter(torch.zeros(100))
        optimizer = torch.optim.SGD([model.weight, model.bias, free], 0.1, 0.9)
        with Accounted() as seen:
            (model(torch.randn(2, 4)).sum() + free.sum()).backward()
            optimizer.step()
        state = seen.of("optimizer")[0]
        self.assertEqual((sum(row[2] for row in state["rows"]), state["other"]), (80, 400))

    def test_gradients_that_are_only_accumulated_are_told_at_the_end(self):
        model = nn.Linear(4, 4)
        with Accounted() as seen:
            model(torch.randn(2, 4)).sum().backward()
        self.assertEqual(sum(row[2] for row in seen.of("gradients")[0]["rows"]), 80)

    def test_the_chain_is_told_of_the_first_training_step_even_after_an_evaluation(self):
        model = zoo.LeNet()
        with Accounted() as seen:
            with torch.no_grad():
                model(zoo.images(4))
            zoo.train(model, zoo.images(4), steps=2)
        self.assertEqual([record["step"] for record in seen.of("chain")], [2])

    def test_shapes_that_the_first_forward_finds_out_are_told_after_it(self):
        with Accounted() as seen:
            nn.Sequential(nn.LazyLinear(5), nn.ReLU())(torch.randn(3, 7)).sum().backward()
        kinds = [record["record"] for record in seen.records]
        self.assertLess(kinds.index("module"), kinds.index("activations"))
        self.assertNotIn("step", kinds[:kinds.index("root")])
        self.assertEqual(seen.owned(), (7 * 5 + 5) * 4)

    def test_the_chain_of_layers_is_told_with_what_goes_in_and_out(self):
        with Accounted() as seen:
            zoo.train(zoo.LeNet(), zoo.images(4))
        rows = seen.of("chain")[0]["rows"]
        self.assertEqual([row[0] for row in rows], [2, 3, 4, 5, 6, 7])
        self.assertEqual([row[3] for row in rows[:-1]], [row[1] for row in rows[1:]])
        self.assertEqual(rows[0][1:3], [seen.rows()[0][1], 4 * 3 * 32 * 32 * 4])
        self.assertEqual(rows[0][4], 4 * 6 * 28 * 28 * 4)


@needs_torch
class OlderVersions(unittest.TestCase):
    """What PyTorch has since 1.5 and 1.10 is hidden."""

    def test_below_1_10_outputs_stand_in_for_what_is_saved(self):
        graph = torch.autograd.graph
        hooks = graph.saved_tensors_hooks
        del graph.saved_tensors_hooks
        self.addCleanup(setattr, graph, "saved_tensors_hooks", hooks)
        with Accounted() as seen:
            zoo.train(zoo.LeNet(), zoo.images(4))
        rows = [(row[3], row[6]) for row in seen.rows(0)]
        self.assertIn(([4, 6, 28, 28], "layer"), rows)
        self.assertEqual(len(rows), 11)
        self.assertEqual(seen.warnings, [])

    def test_below_1_5_modules_are_seen_by_their_class(self):
        module, call = torch.nn.modules.module, nn.Module.__call__
        with mock.patch.object(module, "register_module_forward_pre_hook", None):
            with Accounted(steps=1) as seen:
                zoo.train(zoo.LeNet(), zoo.images(4), steps=2, batches=[zoo.images(4), zoo.images(3)])
        self.assertIs(nn.Module.__call__, call)
        names = dict((record["module"], record["name"]) for record in seen.of("module", root=0))
        self.assertEqual([names[row[0]] for row in seen.rows(0)][:2], ["features.0", "features.1"])
        self.assertEqual(sorted(set(record["step"] for record in seen.of("step", root=0))), [1, 2])


@needs_torch
class Steps(unittest.TestCase):
    def test_a_smaller_last_batch_and_an_evaluation_are_recorded_after_the_first_steps(self):
        model = zoo.LeNet()
        batches = [zoo.images(8)] * 6 + [zoo.images(3)]
        with Accounted(steps=2) as seen:
            zoo.train(model, None, torch.optim.SGD(model.parameters(), 0.1), batches=batches)
            with torch.no_grad():
                model(zoo.images(5))
        steps = dict((record["step"], (record["batch"], record["grad"])) for record in seen.of("step", root=0))
        self.assertEqual(steps, {1: (8, True), 2: (8, True), 3: (3, True), 4: (5, False)})
        full = [sum(row[2] for row in seen.rows(0, step) if row[6] == "layer") for step in (1, 3)]
        self.assertEqual(full[0] * 3, full[1] * 8)
        self.assertEqual(seen.rows(0, 4), [])

    def test_memory_is_that_before_the_forward_and_the_highest_until_the_optimizer_begins(self):
        model = nn.Linear(3, 3)
        with Accounted() as seen:
            zoo_loss = model(torch.randn(2, 3)).sum()
            self.assertEqual([step["memory_before"] for step in seen.of("step")], [1000])
            zoo_loss.backward()
            torch.optim.SGD(model.parameters(), 0.1).step()
        self.assertEqual([(step["memory_before"], step.get("memory_peak")) for step in seen.of("step")],
                         [(1000, None), (1000, 3000)])

    def test_a_peak_is_not_known_where_another_forward_comes_before_the_backward(self):
        model = nn.Linear(3, 3)
        with Accounted() as seen:
            total = model(torch.randn(2, 3)).sum() + model(torch.randn(2, 3)).sum()
            total.backward()
        self.assertEqual([step.get("memory_peak") for step in seen.of("step", step=1)], [None, None])

    def test_arguments_with_names_are_inputs_too(self):
        class Named(nn.Linear):
            def forward(self, mask=None, values=None):
                return super(Named, self).forward(values)

        with Accounted() as seen:
            Named(4, 4)(values=torch.randn(7, 4)).sum().backward()
        self.assertEqual(seen.of("step")[0]["inputs"], [[[7, 4], "float32", 112]])
        self.assertEqual(seen.of("step")[0]["batch"], 7)

    def test_everything_is_taken_off_when_enough_was_seen(self):
        module = torch.nn.modules.module
        graph = torch.autograd.graph.saved_tensors_hooks
        before = (graph.__enter__, torch.optim.Optimizer.__init__, torch.optim.SGD.step)
        model = nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with Accounted(steps=1) as seen:
            for _ in range(51):
                model(torch.randn(2, 3)).sum().backward()
                optimizer.step()
            self.assertEqual(seen.records[-1], {"record": "end", "steps": 1})
            self.assertFalse(module._global_forward_hooks or module._global_forward_pre_hooks)
            self.assertEqual((graph.__enter__, torch.optim.Optimizer.__init__, torch.optim.SGD.step), before)
            count = len(seen.records)
            model(torch.randn(2, 3)).sum().backward()
            self.assertEqual(len(seen.records), count)

    def test_models_and_tensors_are_not_kept_alive(self):
        with Accounted() as seen:
            model, inputs = zoo.LeNet(), zoo.images()
            zoo.train(model, inputs, torch.optim.Adam(model.parameters()), 2)
            del model, inputs
            gc.collect()
            alive = [thing for thing in gc.get_objects() if type(thing) is zoo.LeNet]
            self.assertEqual(alive, [])
            self.assertEqual(seen.warnings, [])


@needs_torch
class Ways(unittest.TestCase):
    """Whatever way a model is run, its results stay as they are."""

    def same_gradients(self, run, make, **options):
        """`run(model)` with the account and without gives the same gradients; the account."""
        found = []
        for accounted in (False, True):
            torch.manual_seed(3)
            model = make()
            if accounted:
                with Accounted(**options) as seen:
                    run(model)
            else:
                run(model)
            found.append([parameter.grad for parameter in model.parameters()])
        for plain, other in zip(*found):
            self.assertTrue(plain is other is None or torch.equal(plain, other))
        return seen

    def test_a_checkpointed_part_saves_its_input_only(self):
        class Checkpointed(nn.Module):
            def __init__(self, **options):
                super(Checkpointed, self).__init__()
                self.first, self.options = nn.Linear(8, 8), options
                self.rest = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 8), nn.Sigmoid())

            def forward(self, value):
                return checkpoint.checkpoint(self.rest, self.first(value), **self.options)

        named = "use_reentrant" in inspect.signature(checkpoint.checkpoint).parameters
        for options in ({"use_reentrant": True}, {"use_reentrant": False}) if named else ({},):
            with self.subTest(options=options):
                seen = self.same_gradients(lambda model: model(torch.ones(4, 8)).sum().backward(),
                                           lambda: Checkpointed(**options))
                self.assertEqual([record["type"] for record in seen.of("root")], ["Checkpointed"])
                self.assertTrue(seen.of("step")[-1]["checkpointed"])
                saved = [row for row in seen.rows() if row[6] == "layer"]
                self.assertLessEqual(sum(row[2] for row in saved), 4 * 8 * 4)

    def test_a_whole_model_under_a_programs_own_hooks_is_left_to_them(self):
        packed = []

        def run(model):
            del packed[:]
            hooks = torch.autograd.graph.saved_tensors_hooks(lambda tensor: packed.append(1) or tensor, lambda tensor: tensor)
            with hooks:
                loss = model(torch.ones(4, 8)).sum()
            (loss * loss).backward()

        seen = self.same_gradients(run, lambda: nn.Sequential(nn.Linear(8, 8), nn.Sigmoid()))
        self.assertGreater(len(packed), 1)
        self.assertEqual(seen.of("activations"), [])

    def test_a_programs_own_hooks_after_the_forward_are_its_own(self):
        def run(model):
            output = model(torch.ones(4, 8))
            with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor * 2, lambda tensor: tensor / 2):
                loss = output.sigmoid().sum()
            loss.backward()

        self.same_gradients(run, lambda: nn.Linear(8, 8))

    def test_a_layer_that_is_called_twice_has_both(self):
        class Twice(nn.Module):
            def __init__(self):
                super(Twice, self).__init__()
                self.layer = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid())

            def forward(self, value):
                return self.layer(self.layer(value))

        seen = self.same_gradients(lambda model: model(torch.ones(4, 8)).sum().backward(), Twice)
        sigmoid = [record["module"] for record in seen.of("module") if record["name"] == "layer.1"]
        self.assertEqual([row[2] for row in seen.rows() if [row[0]] == sigmoid], [128, 128])

    def test_an_exception_in_a_forward_leaves_the_account_whole(self):
        class Fails(nn.Module):
            def __init__(self):
                super(Fails, self).__init__()
                self.inner, self.broken = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid()), True

            def forward(self, value):
                value = self.inner(value)
                if self.broken:
                    raise KeyError("broken")
                return self.inner(value)

        def run(model):
            try:
                model(torch.ones(4, 8))
            except KeyError:
                model.broken = False
            model(torch.ones(4, 8)).sum().backward()

        seen = self.same_gradients(run, Fails)
        self.assertEqual([record["type"] for record in seen.of("root")], ["Fails"])
        self.assertEqual(len([row for row in seen.rows(0, 2) if row[6] == "layer"]), 2)

    def test_models_on_several_threads_keep_to_themselves(self):
        barrier = threading.Barrier(2)

        class Waits(nn.Module):
            def __init__(self):
                super(Waits, self).__init__()
                self.inner = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid())

            def forward(self, value):
                barrier.wait(30)
                value = self.inner(value)
                barrier.wait(30)
                return value

        models = [Waits(), Waits()]
        with Accounted() as seen:
            threads = [threading.Thread(target=lambda *given: given[0](torch.ones(given[1], 8)).sum().backward(), args=given)
                       for given in zip(models, (2, 3))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(seen.rows(root)[-1][3] for root in (0, 1)), [[2, 8], [3, 8]])
        self.assertEqual(seen.warnings, [])

    def test_a_second_derivative_is_as_always(self):
        def run(model):
            value = torch.ones(4, 8, requires_grad=True)
            slope, = torch.autograd.grad(model(value).sum(), value, create_graph=True)
            (slope ** 2).sum().backward()

        self.same_gradients(run, lambda: nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1)))

    def test_writing_over_what_is_needed_is_an_error_as_always(self):
        with Accounted():
            output = torch.sigmoid(nn.Linear(4, 4)(torch.ones(2, 4)))
            output.mul_(2)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                output.sum().backward()

    def test_automatic_mixed_precision_is_seen(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        with Accounted() as seen:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(torch.ones(4, 8)).float().sum()
            loss.backward()
        self.assertTrue(seen.of("step")[0]["autocast"])
        self.assertIn("bfloat16", [row[4] for row in seen.rows()])

    def test_torchscript_is_refused_in_words(self):
        model = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        with Accounted() as seen:
            model(torch.ones(2, 4)).sum().backward()
        self.assertEqual(seen.of("root"), [])
        self.assertIn("TorchScript", seen.warnings[0])
        self.assertEqual(seen.of("problem")[0]["message"], seen.warnings[0])

    def test_tracing_is_not_disturbed(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

        def traced():
            return re.sub("mangle_[0-9]*", "", str(torch.jit.trace(model, torch.ones(2, 4)).graph))

        plain = traced()
        with Accounted():
            self.assertEqual(traced(), plain)

    def test_a_failure_inside_is_a_warning_and_the_program_goes_on(self):
        class Full(object):
            def begin(self):
                raise OSError("no memory is to be read")

        model = nn.Linear(4, 4)
        with Accounted(memory=Full()) as seen:
            model(torch.ones(2, 4)).sum().backward()
        self.assertEqual(seen.warnings, ["AttributeError: 'Full' object has no attribute 'measure'"])
        self.assertIsNotNone(model.weight.grad)

    def test_what_a_signals_handler_raises_meanwhile_goes_on_in_the_program(self):
        class Interrupted(object):
            measure = "rss"

            def begin(self):
                raise KeyError("by the program")

        with Accounted(memory=Interrupted()):
            with self.assertRaises(KeyError):
                nn.Linear(4, 4)(torch.ones(2, 4))

    def test_a_model_and_an_optimizer_can_be_saved_meanwhile(self):
        import io
        model = nn.Sequential(nn.Linear(4, 4))
        optimizer = torch.optim.Adam(model.parameters())
        with Accounted():
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            for thing in (model, optimizer):
                file = io.BytesIO()
                torch.save(thing, file)
                self.assertNotIn(b"jetson_memprof", file.getvalue())


if __name__ == "__main__":
    unittest.main()
