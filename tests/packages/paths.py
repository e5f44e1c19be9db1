"""Names the folders of the sources and of the build that the tests use."""

import os
import pathlib

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("VRP_BINARY_DIR") or ROOT / "build" / "dev")
