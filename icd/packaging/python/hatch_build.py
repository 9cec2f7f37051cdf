"""Gives the wheel the tag that the file `tag.txt` has: any Python 3, and the platform of the library."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = Path(self.root, "tag.txt").read_text(encoding="ascii").strip()
