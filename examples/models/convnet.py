"""A small convolutional network with batch normalisation."""

from torch import Tensor, nn


def block(inputs: int, outputs: int) -> nn.Sequential:
    # The convolution needs no bias of its own: the normalisation subtracts it again.
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class ConvNet(nn.Module):
    """(batch, 1, 8, 8) images -> (batch, classes) logits."""

    def __init__(self, width: int = 32, classes: int = 10):
        super().__init__()
        self.stem = block(1, width)
        self.body = nn.Sequential(block(width, width), nn.MaxPool2d(2), block(width, 2 * width))
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        features = self.body(self.stem(x))
        return self.head(features.mean((2, 3)))
