"""The registry of switches."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch_trace
from torch_trace import config


def test_defaults_and_patch():
    assert config.fuse_limit == -1
    with config.patch(fuse_limit=3):
        assert config.fuse_limit == 3
    assert config.fuse_limit == -1


@pytest.mark.parametrize("name,value", [("fallback", "maybe"), ("fuse_limit", "3"), ("verify_stages", 1)])
def test_wrong_values(name, value):
    with pytest.raises(torch_trace.ConfigError):
        setattr(config, name, value)


def test_unknown_switch():
    with pytest.raises(torch_trace.ConfigError, match="did you mean 'fuse_limit'"):
        config.fuse_limits = 3
    with pytest.raises(AttributeError):
        config.no_such  # noqa: B018


def test_environment():
    config.load_environment({"TORCH_TRACE_FUSE_LIMIT": "7", "TORCH_TRACE_VERIFY_STAGES": "1", "HOME": "/"})
    assert config.fuse_limit == 7 and config.verify_stages is True
    config.load_environment()
    with pytest.raises(torch_trace.ConfigError, match="TORCH_TRACE_FUSE_LIMITS"):
        config.load_environment({"TORCH_TRACE_FUSE_LIMITS": "7"})


def test_unknown_variable_is_an_error_at_import():
    environment = {**os.environ, "TORCH_TRACE_NO_SUCH": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", "import torch_trace"], env=environment, capture_output=True, text=True)
    assert done.returncode != 0 and "TORCH_TRACE_NO_SUCH" in done.stderr


def test_every_switch_is_described():
    text = config.describe()
    assert all(name in text for name in config.SWITCHES)
