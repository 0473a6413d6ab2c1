#!/usr/bin/env python3
"""What a release consists of and needs, as SPDX 2.3 (ISO/IEC 5962): sbom.py VERSION TIME FOLDER writes JSON to stdout, with
the files of FOLDER and their SHA-256 sums, and the libraries that the programs are linked with or that they import."""
import hashlib
import json
import os
import sys

# Name, licence (SPDX), of what needs it. The sources hold no code of others.
NEEDED = [("BLAS", "BSD-3-Clause", "library"), ("LAPACK", "BSD-3-Clause-Open-MPI", "library"),
          ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "library"),
          ("Open MPI", "BSD-3-Clause", "libfreeridge_mpi, optional"), ("ScaLAPACK", "BSD-3-Clause", "libfreeridge_mpi, optional"),
          ("ELPA", "LGPL-3.0-only", "libfreeridge_mpi, optional"), ("R", "GPL-2.0-or-later", "R package"),
          ("Rcpp", "GPL-2.0-or-later", "R package"), ("RcppEigen", "GPL-2.0-or-later", "R package"),
          ("Python", "PSF-2.0", "Python package"), ("NumPy", "BSD-3-Clause", "Python package")]


def sum_of(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def main(version, time, folder):
    paths = sorted(os.path.relpath(os.path.join(where, name), folder) for where, folders, names in os.walk(folder)
                   for name in names if os.path.relpath(os.path.join(where, name), folder).split(os.sep)[0] != "tree")
    paths = [path for path in paths if not path.endswith((".spdx.json", "SHA256SUMS"))]
    names = "".join(f"{path}{sum_of(os.path.join(folder, path), 'sha256')}" for path in paths)
    packages = [{"SPDXID": "SPDXRef-freeridge", "name": "freeridge", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "2026 freeridge authors", "filesAnalyzed": False}]
    links = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-freeridge"}]
    for place, (name, licence, what) in enumerate(NEEDED):
        packages.append({"SPDXID": f"SPDXRef-needed-{place}", "name": name, "downloadLocation": "NOASSERTION", "licenseDeclared": licence,
                         "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False, "comment": f"needed by: {what}"})
        links.append({"spdxElementId": "SPDXRef-freeridge", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": f"SPDXRef-needed-{place}"})
    files = [{"SPDXID": f"SPDXRef-file-{place}", "fileName": f"./{path}", "licenseConcluded": "MIT", "copyrightText": "2026 freeridge authors",
              "checksums": [{"algorithm": name.upper(), "checksumValue": sum_of(os.path.join(folder, path), name)}
                            for name in ("sha1", "sha256")]} for place, path in enumerate(paths)]
    links += [{"spdxElementId": "SPDXRef-freeridge", "relationshipType": "CONTAINS", "relatedSpdxElement": file["SPDXID"]} for file in files]
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"freeridge-{version}",
               "documentNamespace": f"https://freeridge.org/spdx/{version}-{hashlib.sha256(names.encode()).hexdigest()[:16]}",
               "creationInfo": {"created": time.split("+")[0].rstrip("Z") + "Z", "creators": ["Organization: freeridge authors"]},
               "packages": packages, "files": files, "relationships": links}, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
