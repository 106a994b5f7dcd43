/* Latency of MPI_Put and MPI_Win_flush. */
#include "rma.h"

RMA_LATENCY_PROGRAM("MPI RMA put latency", MPI_Put(local, count, MPI_BYTE, 1, 0, count, MPI_BYTE, j.window))
