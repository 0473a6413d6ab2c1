#!/bin/sh
# limited.sh KIBIBYTES PROGRAM: runs the program; all ranks but rank 0 with so much address space. OpenMPI and others put the
# number of the rank into one of these variables.
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] || ulimit -v "$1"
exec "$2"
