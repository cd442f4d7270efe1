"""A multilayer perceptron with layer normalisation."""

from torch import Tensor, nn


class MLP(nn.Module):
    """(batch, inputs) -> (batch, classes) logits; `depth` hidden layers of Linear, LayerNorm, GELU."""

    def __init__(self, inputs: int = 64, hidden: int = 256, depth: int = 2, classes: int = 10):
        super().__init__()
        layers: list[nn.Module] = []
        for i in range(depth):
            layers += [nn.Linear(inputs if i == 0 else hidden, hidden), nn.LayerNorm(hidden), nn.GELU()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))
