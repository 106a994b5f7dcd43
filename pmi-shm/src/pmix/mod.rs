//! What this project uses of PMIx, the process management interface of Open MPI and Slurm: the layout of its data, and its
//! library, which is loaded at run time. Neither is needed to build.

pub mod data;
pub mod library;
