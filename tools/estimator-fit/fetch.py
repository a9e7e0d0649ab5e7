"""Downloads every package of packages.py and unpacks it: OUT/fetch/{npm,pypi,crates,deb}/NAME.

Only the ordinary clients are used, so their own configuration says where packages come from.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import packages


def run(*command, folder) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed; check that its registry is reachable:\n{done.stderr[-2000:]}")
    return done.stdout


def npm(name, version, folder):
    run("npm", "pack", "--silent", f"{name}@{version}", folder=folder)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder / "all", filter="data")
    return next((folder / "all").iterdir())


def pypi(name, version, folder):
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", f"{name}=={version}", folder=folder)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(folder / "all")
    return folder / "all"


def deb(name, folder):
    run("apt-get", "download", name, folder=folder)
    run("dpkg-deb", "-x", str(next(folder.glob("*.deb"))), "all", folder=folder)
    return folder / "all"


def place(target: Path, unpack):
    """A package that is there is whole: it is unpacked elsewhere and moved."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".part-") as folder:
        shutil.move(unpack(Path(folder)), target)
    print(f"fetched {target.parent.name}/{target.name}", flush=True)


def crates(fetched: Path):
    """cargo fetches crates for a package only, so there is one that asks for them all."""
    missing = {name: version for name, version in packages.CRATES.items() if not (fetched / name).exists()}
    if not missing:
        return
    fetched.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=fetched, prefix=".part-") as folder:
        wanted = "\n".join(f'{name} = "={version}"' for name, version in missing.items())
        Path(folder, "Cargo.toml").write_text(f'[workspace]\n[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{wanted}\n')
        Path(folder, "src").mkdir()
        Path(folder, "src/lib.rs").touch()
        run("cargo", "vendor", "--quiet", "vendor", folder=folder)
        for name, version in missing.items():
            found = [Path(folder, "vendor", name), *Path(folder, "vendor").glob(f"{name}-{version}*")]
            shutil.move(next(path for path in found if path.exists()), fetched / name)
    print(f"fetched {len(missing)} crates", flush=True)


def one(ecosystem, name, version):
    """Calls the client of an ecosystem for a package; an archive of Debian has one version only."""
    unpack = {"npm": npm, "pypi": pypi, "deb": lambda name, _, folder: deb(name, folder)}[ecosystem]
    return lambda folder: unpack(name, version, folder)


def main():
    fetched = Path(sys.argv[1] if len(sys.argv) > 1 else "target/estimator-corpus").resolve() / "fetch"
    for name, version in (packages.TOKENIZERS | packages.NPM).items():
        place(fetched / "npm" / name, one("npm", name, version))
    for name, version in packages.PYPI.items():
        place(fetched / "pypi" / name, one("pypi", name, version))
    for name, version in packages.OLDER.items():
        place(fetched / "pypi" / f"{name}@{version}", one("pypi", name, version))
    crates(fetched / "crates")
    for name in packages.DEBIAN:
        place(fetched / "deb" / name, one("deb", name, None))
    for ecosystem, name, version, _ in packages.TRANSLATIONS:
        place(fetched / ecosystem / name, one(ecosystem, name, version))


if __name__ == "__main__":
    main()
