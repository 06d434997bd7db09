"""Says which folders are in the distribution; pyproject.toml says everything else.

Installed, the package has a name of its own; in the checkout it is plainly server/. Folders below are found
by looking, so that none is forgotten.
"""

from setuptools import find_namespace_packages, setup

# setuptools wants every folder listed, those with only data in them too.
FOLDERS = {
    "token_trickle": "server",
    "token_trickle.templates": "templates",
    "token_trickle.static": "static",
}

setup(
    package_dir=FOLDERS,
    packages=[
        *FOLDERS,
        *(
            f"{package}.{name}"
            for package, folder in FOLDERS.items()
            for name in find_namespace_packages(folder, exclude=["*__pycache__*"])
        ),
    ],
    package_data={"": ["*"]},
)
