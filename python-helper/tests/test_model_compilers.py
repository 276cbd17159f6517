"""What is compiled, and whether the model account goes on."""
import json
import unittest

from truth import harness  # noqa: F401  (puts the helper on sys.path)
from jetson_memprof.model.session import _Session


class Holder(object):
    """Stand-in for what only holds something."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Compilers(unittest.TestCase):
    """With a stand-in for torch.compile, as Debian's PyTorch has none."""

    def setUp(self):
        self.given_up, self.compiled = [], []
        self.torch = Holder(compile=self.compile)
        scope = Holder(measured=lambda path: path if path == __file__ else None)
        self.session = _Session({"model": {}}, Holder(head=[]), None, scope)
        self.session._torch, self.session._account = self.torch, Holder(give_up=self.given_up.append)
        self.session._give_way_to_compilers()

    def compile(self, model=None, **options):
        if model is None:
            return lambda target: self.compile(target, **options)
        self.compiled.append((model, options))
        return model

    def test_functions_that_libraries_compile_leave_the_account(self):
        self.assertIs(self.torch.compile(json.dumps), json.dumps)
        self.assertIs(self.torch.compile(dynamic=True)(json.loads), json.loads)
        self.assertEqual(self.compiled, [(json.dumps, {}), (json.loads, {"dynamic": True})])
        self.assertEqual(self.given_up, [])

    def test_a_model_its_method_or_a_function_of_the_projects_ends_it(self):
        def step():
            pass

        for target in (Holder(), json.JSONEncoder().encode, step):
            for compile in (lambda: self.torch.compile(target), lambda: self.torch.compile(model=target),
                            lambda: self.torch.compile(dynamic=True)(target)):
                self.setUp()
                compile()
                self.assertEqual(([each for each, _ in self.compiled], len(self.given_up)), ([target], 1))
                self.assertEqual(self.torch.compile, self.compile)


if __name__ == "__main__":
    unittest.main()
