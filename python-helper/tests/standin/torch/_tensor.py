"""Stand-in for Tensor."""


class Tensor(object):
    def backward(self):
        return None
