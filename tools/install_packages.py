"""``install_packages.py PATH[EXTRAS]``: install a project editably, with one line a package."""

import subprocess
import sys
import time

_COMMAND = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--editable"]
_PREFIX = "Collecting "


def main(project: str) -> int:
    """Install and count the packages; print all that pip says where it fails."""
    begin, lines = time.monotonic(), []
    packages = 0
    with subprocess.Popen(
        [*_COMMAND, project], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout
        for line in pip.stdout:
            lines.append(line)
            if line.startswith(_PREFIX):
                packages += 1
                print(f"   {packages:3} {line.removeprefix(_PREFIX).split()[0]}", flush=True)
            elif line.startswith("Installing collected packages"):
                print(f"   unpacking {packages} packages", flush=True)
    if pip.returncode:
        print(*lines, sep="", file=sys.stderr)
    else:
        print(f"   done in {time.monotonic() - begin:.0f} s", flush=True)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
