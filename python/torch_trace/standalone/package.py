"""A directory that `torch_trace.lower` has written, as callable graphs with gradients."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .cuda import Driver, Kernel
from .plan import Fusion, Launch, Program

FORMAT = 1


class Graph:
    """One lowered graph: forward, and backward where it was lowered for training.

    Called with the graph's tensors in the order of `arguments` (each has a name and a kind: input, parameter or buffer),
    it gives the outputs as eager would. Constants of the graph and the seed of its random numbers, which are the last of
    `entry["arguments"]`, are not the caller's.
    """

    def __init__(self, entry: Mapping[str, Any], programs: Mapping[str, Program], constants: Sequence[torch.Tensor],
                 device: torch.device) -> None:
        self.entry = entry
        self.arguments = [a for a in entry["arguments"] if a["kind"] not in ("constant", "seed")]
        self.constants = list(constants)
        self.uses_random = any(a["kind"] == "seed" for a in entry["arguments"])
        self.device = device
        self.forward = programs["forward"]
        self.backward = programs.get("backward")
        self.num_outputs = entry["num_outputs"]
        self.differentiable = entry["differentiable"]
        self._function = self._autograd() if self.backward else None

    def __call__(self, *arguments: torch.Tensor) -> list[Any]:
        tensors = [*arguments, *self.constants]
        if self.uses_random:
            tensors.append(torch.empty((), dtype=torch.int64, device=self.device).random_())
        if self._function is not None and torch.is_grad_enabled():
            results = list(self._function.apply(*tensors))
        else:
            results = self.forward(tensors)[: self.num_outputs]
        for mutation in self.entry["mutations"]:
            with torch.no_grad():
                tensors[mutation["argument"]].copy_(results[mutation["result"]])
        return [self._output(output, tensors, results) for output in self.entry["outputs"]]

    @staticmethod
    def _output(output: Mapping[str, Any], tensors: Sequence[Any], results: Sequence[Any]) -> Any:
        kind = output["kind"]
        if kind == "constant":
            return output["value"]
        if kind == "result":
            return results[output["index"]]
        if kind == "input":
            return tensors[output["index"]]
        base = tensors[output["index"]] if kind == "view_of_input" else results[output["index"]]
        return base.as_strided(output["size"], output["stride"], base.storage_offset() + output["offset"])

    def _autograd(self) -> Any:
        graph, backward = self, self.backward
        assert backward is not None
        wanted = self.entry["backward_arguments"]
        positions = self.entry["gradient_arguments"]
        shapes = {number: self.forward.values[v] for number, v in enumerate(self.forward.results)}

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *tensors: torch.Tensor) -> Any:
                values = graph.forward(tensors)
                sources = {"argument": tensors, "output": values, "saved": values[graph.num_outputs:]}
                ctx.save_for_backward(*[sources[kind][i] for kind, i in wanted if kind != "cotangent"])
                ctx.count = len(tensors)
                ctx.set_materialize_grads(False)
                outputs = values[: graph.num_outputs]
                ctx.mark_non_differentiable(*[o for o, d in zip(outputs, graph.differentiable, strict=True) if not d])
                return tuple(outputs)

            @staticmethod
            def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
                saved = iter(ctx.saved_tensors)
                arguments = []
                for kind, i in wanted:
                    if kind != "cotangent":
                        arguments.append(next(saved))
                    elif cotangents[i] is not None:
                        arguments.append(cotangents[i])
                    else:
                        spec = shapes[i]
                        arguments.append(torch.zeros(spec["shape"], dtype=getattr(torch, spec["dtype"]),
                                                     device=graph.forward.device))
                result: list[torch.Tensor | None] = [None] * ctx.count
                for position, gradient in zip(positions, backward(arguments), strict=True):
                    result[position] = gradient
                return tuple(result)

        return Function


class Package:
    """All graphs of a directory. Modules are loaded at once, so that a bad image is found before anything runs."""

    def __init__(self, directory: str, driver: Driver, device: torch.device) -> None:
        with open(os.path.join(directory, "manifest.json")) as file:
            self.manifest = json.load(file)
        if self.manifest["format"] != FORMAT:
            raise ValueError(f"{directory} has format {self.manifest['format']}; this reads format {FORMAT}")
        # A tensor's device has an index.
        device = torch.empty(0, device=device).device
        self.directory, self.driver, self.device = directory, driver, device
        driver.enter(device.index or 0)
        self.kernels: dict[str, Kernel] = {}
        self.fusions: dict[str, Fusion] = {}
        self.graphs = [self._graph(number, entry) for number, entry in enumerate(self.manifest["graphs"])]

    def __call__(self, *arguments: Any, tensors: Mapping[str, torch.Tensor] | None = None) -> list[Any]:
        """Calls the function that was lowered. `arguments` are its own, in order, those in containers one by one;
        `tensors` has its parameters and buffers by name (dict(model.named_parameters()), for a model). The result has
        the values returned, taken out of their containers."""
        call = self.manifest["call"]
        if call is None:
            raise ValueError(f"{self.directory}: the function is no single graph; call its graphs one by one")
        graph, = self.graphs
        taken = []
        for argument, number in zip(graph.arguments, call["arguments"], strict=False):
            if number is None and argument["name"] not in (tensors or {}):
                raise ValueError(f"{self.directory}: the {argument['kind']} {argument['name']} is not given")
            taken.append(arguments[number] if number is not None else tensors[argument["name"]])  # type: ignore[index]
        outputs = graph(*taken)
        return [outputs[r["output"]] if "output" in r else arguments[r["argument"]] if "argument" in r else r["value"]
                for r in call["returns"]]

    def _read(self, path: str) -> bytes:
        with open(os.path.join(self.directory, path), "rb") as file:
            return file.read()

    def _graph(self, number: int, entry: Mapping[str, Any]) -> Graph:
        # Forward and backward may have fusions of the same name.
        programs = {
            side: Program(entry[side], self._fusions(f"graph{number}/{side}", entry["fusions"][side]), self.device, self._read)
            for side in ("forward", "backward") if entry[side]
        }
        constants = [self._constant(a) for a in entry["arguments"] if a["kind"] == "constant"]
        return Graph(entry, programs, constants, self.device)

    def _constant(self, argument: Mapping[str, Any]) -> torch.Tensor:
        """A tensor that the graph owns."""
        if "data" not in argument:
            raise ValueError(f"{self.directory}: the constant {argument['name']} was a fake tensor when it was lowered")
        data = bytearray(self._read(argument["data"]))
        dtype, shape = getattr(torch, argument["dtype"]), argument["shape"]
        flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        return flat.reshape(shape).to(self.device)

    def _fusions(self, where: str, entries: Mapping[str, Any]) -> dict[str, Fusion]:
        fusions = {}
        for name, entry in entries.items():
            launches = []
            if entry["kernels"]:
                images = [self._read(path) for path in entry["images"] if self._takes(path)]
                module = self.driver.load(images, f"{self.directory}/{where}/{name}")
                for kernel in entry["kernels"]:
                    loaded = self.driver.kernel(module, kernel["name"])
                    self.kernels[f"{where}/{kernel['name']}"] = loaded
                    # Shared memory is static, so a launch asks for no more.
                    launches.append(Launch(loaded, kernel["grid"], kernel["block"], 0, kernel["slots"]))
            fusions[name] = self.fusions[f"{where}/{name}"] = Fusion(self.driver, launches, entry["scratch"])
        return fusions

    def _takes(self, path: str) -> bool:
        """Bitcode is for the emulated driver, everything else for a GPU's."""
        return path.endswith(".bc") == self.driver.emulated
