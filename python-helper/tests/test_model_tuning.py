"""How a model is fine-tuned. Layers of PEFT, bitsandbytes, torchao and transformers are stand-ins here, of the same
class names and attributes; what real ones hold is compared in bench/torch/finetune.py."""
import json
import unittest

from model_harness import Accounted, needs_torch, torch
from jetson_memprof.model.tensors import one_byte_parts, parts_of, storage_of
from jetson_memprof.model.tuning import beside_packed, tuning_record

if torch is not None:
    from torch import nn
    import model_zoo as zoo


class Module(object):
    """Stand-in for torch.nn.Module: what instances of it hold."""

    def __init__(self, parameters=None, modules=None, **attributes):
        self._parameters = parameters or {}
        self._modules = modules or {}
        self.__dict__.update(attributes)

    @property
    def is_gradient_checkpointing(self):
        raise AssertionError("code of the program's")


class Tensor(object):
    """Stand-in for a tensor: its class has the methods that ours is known by."""

    def __init__(self, size=16, element=1, **attributes):
        self._size, self._element = size, element
        self.__dict__.update(attributes)

    def element_size(self):
        return self._element

    def data_ptr(self):
        return id(self)

    def numel(self):
        return self._size // self._element


class Params4bit(Tensor):
    pass


class Int8Params(Tensor):
    pass


class State(object):
    """Stand-in for bitsandbytes' QuantState, and for any other that only holds something."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Config(object):
    """Stand-in for a configuration of transformers: the type is the class's."""

    model_type = "llama"

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def lora(ranks, scaling, **more):
    return Module(modules={"base_layer": Module(), "lora_A": Module(), "lora_B": Module()}, r=ranks, scaling=scaling,
                  **more)


def record(*modules):
    return tuning_record(0, list(enumerate(modules)))


class ByStandIns(unittest.TestCase):
    def test_adapters_of_peft_are_told_by_name_with_rank_and_scaling(self):
        found = record(Module(), lora({"default": 8, "second": 4}, {"default": 2.0, "second": 1}))
        self.assertEqual(found["adapters"], [[1, "default", 8, 2.0], [1, "second", 4, 1]])

    def test_a_layer_with_one_adapter_of_its_own_is_told_too(self):
        own = Module(parameters={"lora_A": Tensor(), "lora_B": Tensor()}, r=4, scaling=0.5)
        self.assertEqual(record(own)["adapters"], [[0, "", 4, 0.5]])

    def test_what_is_no_rank_is_no_adapter(self):
        for rank in (0, -1, True, 8.0, "8", None, 2 ** 40, [8], Tensor()):
            self.assertIsNone(record(lora({"default": rank}, {})), rank)

    def test_a_scaling_that_is_no_number_is_not_known(self):
        for scaling in ({"default": float("nan")}, {"default": "2"}, {"default": float("inf")}, {}, None, 7):
            self.assertEqual(record(lora({"default": 8}, scaling))["adapters"], [[0, "default", 8, None]])

    def test_adapters_of_other_libraries_are_none_of_lora(self):
        self.assertIsNone(record(Module(modules={"base_layer": Module(), "ia3_l": Module()}),
                                 Module(parameters={"hada_w1_a": Tensor()}, r={"default": 8})))

    def test_names_and_numbers_are_bounded(self):
        names = dict(("n%d" % at + "x" * 1000, 8) for at in range(1000))
        rows = record(lora(names, {}))["adapters"]
        self.assertEqual((len(rows), max(len(row[1]) for row in rows)), (16, 200))

    def test_weights_packed_in_4_bits_are_told_with_what_is_beside_them(self):
        state = State(absmax=Tensor(), code=Tensor(64, 4), offset=Tensor(4, 4), shape=(64, 32), blocksize=64,
                      quant_type="nf4", state2=State(absmax=Tensor(4, 4), code=Tensor(1024, 4)))
        layer = Module(parameters={"weight": Params4bit(1024, quant_state=state), "bias": None})
        self.assertEqual(record(layer)["packed"], [[0, "weight", "nf4", 64, True, 2048]])
        self.assertEqual(sorted(beside_packed(layer)), ["weight.absmax", "weight.code", "weight.offset",
                                                        "weight.state2.absmax", "weight.state2.code"])

    def test_a_weight_that_is_not_packed_yet_is_as_any(self):
        self.assertIsNone(record(Module(parameters={"weight": Params4bit(64, quant_state=None)}),
                                 Module(parameters={"weight": Int8Params(64, SCB=None)})))

    def test_scales_may_lie_with_the_layer(self):
        four = Module(parameters={"weight": Params4bit(64, quant_state=None)},
                      quant_state=State(absmax=Tensor(), quant_type=7, shape="x"))
        eight = Module(parameters={"weight": Int8Params(64, CB=None, SCB=None)},
                       state=State(CB=Tensor(64), SCB=Tensor(16, 4)))
        self.assertEqual(record(four, eight)["packed"], [[0, "weight", "", 0, False, 0],
                                                         [1, "weight", "int8", 0, False, 64]])
        self.assertEqual(sorted(beside_packed(eight)), ["weight.SCB", "weight.state.CB"])

    def test_checkpointing_is_on_where_one_layer_has_it(self):
        off, on = Module(gradient_checkpointing=False), Module(gradient_checkpointing=True)
        self.assertEqual([record(*modules)["checkpointing"] for modules in ((off,), (off, on), (on, off))],
                         [False, True, True])
        self.assertIsNone(record(Module(gradient_checkpointing=Tensor())))

    def test_the_first_configuration_says_which_model_it_is(self):
        inner = Module(config=Config(max_position_embeddings=2048))
        outer = Module(config=State(max_position_embeddings=5))  # of no model type
        found = record(outer, inner)
        self.assertEqual((found["type"], found["positions"]), ("llama", 2048))
        found = record(Module(config=Config(max_position_embeddings="2048", n_positions=128)))
        self.assertEqual(found["positions"], 128)

    def test_what_is_odd_is_nothing(self):
        class Slots(object):
            __slots__ = ("config",)

        class Hostile(object):
            def __getattr__(self, name):
                raise AssertionError("code of the program's")

        self.assertIsNone(record(Slots(), None, Hostile(), Module(config=Hostile()), Module(config=7)))
        json.dumps(record(Module(config=Config(max_position_embeddings=10 ** 30))))


class Wrapper(object):
    """Stand-in for a tensor class that stands for others, as torchao's."""

    device = State(type="cpu")

    def __init__(self, **parts):
        self.__dict__.update(parts)

    def __tensor_flatten__(self):
        return sorted(vars(self)), None

    def untyped_storage(self):
        raise RuntimeError("no storage of its own")


class Stored(Tensor):
    device = State(type="cpu")

    def untyped_storage(self):
        return State(nbytes=lambda: self._size, data_ptr=lambda: id(self))


class Wrappers(unittest.TestCase):
    def test_a_tensor_that_stands_for_others_has_their_bytes(self):
        codes, scale = Stored(100), Stored(40, 4)
        whole = Wrapper(codes=codes, scale=scale, missing=None)
        self.assertEqual(storage_of(whole), (("cpu", id(codes)), 140))
        self.assertEqual(storage_of(Wrapper(inner=whole))[1], 140)
        self.assertEqual(one_byte_parts(whole), 100)

    def test_one_that_fails_or_holds_itself_is_not_known(self):
        class Failing(Wrapper):
            def __tensor_flatten__(self):
                raise ValueError("not now")

        circle = Wrapper()
        circle.inner = circle
        self.assertEqual([storage_of(each) for each in (Failing(), circle, Wrapper())], [None, None, None])
        self.assertEqual(parts_of(Failing()), [])


@needs_torch
class OnRealTorch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)

    def tuned(self, rank=4):
        model = zoo.CausalTransformer()
        zoo.add_lora(model, rank)
        return model

    def test_a_lora_model_trains_its_adapters_only(self):
        model = self.tuned()
        optimizer = torch.optim.Adam([each for each in model.parameters() if each.requires_grad])
        with Accounted() as seen:
            zoo.train_words(model, zoo.words(4), optimizer)
        trained = sum(row[2] for each in seen.of("module") for row in each["parameters"] if row[5])
        self.assertEqual(trained, 2 * 2 * 4 * (16 + 16) * 4)
        self.assertEqual(sum(row[2] for row in seen.of("gradients")[0]["rows"]), trained)
        self.assertEqual(seen.of("optimizer")[0]["packed"], 0)
        self.assertEqual([row[1:] for row in seen.of("tuning")[0]["adapters"]], [["default", 4, 2.0]] * 4)
        frozen = sum(row[2] for each in seen.of("module") for row in each["parameters"] if not row[5])
        self.assertEqual(frozen + trained, sum(each.numel() * 4 for each in model.parameters()))

    def test_a_model_of_none_of_these_has_no_such_record(self):
        with Accounted() as seen:
            zoo.train(zoo.LeNet(), zoo.images())
        self.assertEqual(seen.of("tuning"), [])

    def test_scales_beside_a_packed_weight_count_once(self):
        class Params4bit(nn.Parameter):
            pass

        model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        weight = Params4bit(torch.zeros(32, 1, dtype=torch.uint8), requires_grad=False)
        weight.quant_state = State(absmax=torch.zeros(1), code=torch.zeros(16), quant_type="nf4", blocksize=64,
                                   shape=torch.Size([8, 8]))
        model[0].packed = Module()  # an attribute that is no module of torch's
        holder = nn.Module()
        holder.register_parameter("weight", weight)
        holder.quant_state = weight.quant_state
        model[0].holder = holder
        with Accounted() as seen:
            model(torch.zeros(2, 8)).sum().backward()
        rows = [row for each in seen.of("module") for row in each["buffers"]]
        self.assertEqual([row[0] for row in rows], ["weight.absmax", "weight.code"])
        self.assertEqual([row[2] for row in rows], [4, 64])
        self.assertEqual(seen.of("tuning")[0]["packed"][0][1:], ["weight", "nf4", 64, False, 64])

    def test_state_in_8_bits_is_told_apart(self):
        model = nn.Linear(8, 8)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        table = torch.zeros(256)
        for each in model.parameters():
            optimizer.state[each] = {"state1": torch.zeros(each.shape, dtype=torch.uint8), "qmap1": table,
                                     "absmax1": torch.zeros(1)}
        with Accounted() as seen:
            model(torch.zeros(2, 8)).sum().backward()
            optimizer.step()
        state = seen.of("optimizer")[0]
        self.assertEqual(state["packed"], 72)
        self.assertEqual(sum(row[2] for row in state["rows"]), 72 + 2 * 4 + 1024)

    def test_tensors_without_memory_take_none(self):
        try:
            weight = torch.empty(1000, 8, device="meta")
        except (RuntimeError, NotImplementedError):
            raise unittest.SkipTest("this PyTorch has no meta device")
        model = nn.Linear(8, 8)
        model.register_buffer("shape", weight)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with Accounted() as seen:
            model(torch.zeros(2, 8)).sum().backward()
            optimizer.state[model.weight] = {"momentum_buffer": weight}
            optimizer.step()
        self.assertEqual(seen.owned("buffers"), 0)
        self.assertEqual(sum(row[2] for row in seen.of("optimizer")[0]["rows"]), 0)
        self.assertEqual(seen.warnings, [])


if __name__ == "__main__":
    unittest.main()
