/* Latency of MPI_Get and MPI_Win_flush. */
#include "rma.h"

RMA_LATENCY_PROGRAM("MPI RMA get latency", MPI_Get(local, count, MPI_BYTE, 1, 0, count, MPI_BYTE, j.window))
