// Z'K_wZ on a device: what ReducedKernel is in the host's memory. The points go there, and the kernel's values are made
// there; of a precomputed kernel, or a linear one of sparse rows, the matrix is made on the host, and goes there whole.
// Rows and columns are by places from the beginning (contrast.hpp), so that none changes places on the device.
// Memory there: n^2 and the points; on the host a piece of the points, or n^2 where the matrix is made there.
#pragma once

#include "libcore/device/engine.hpp"
#include "libcore/factor/reduced_kernel.hpp"

namespace freeridge {

// Whether the matrix is made on the host.
bool made_on_host(bool precomputed, bool linear, bool sparse);

struct KernelOnDevice {
  EnginePtr engine;
  ReducedKernel about;   // without its storage
  DeviceMatrix storage;  // n x n; Z'K_wZ in its last m rows and columns, both triangles

  KernelOnDevice(const EnginePtr& engine, const Problem& problem);
  DeviceView inner() { return about.contrast.inner(storage.view()); }

  // As ReducedKernel has it.
  void require_semidefinite();
  // Z'K_wZ = U diag(w) U', w ascending. The kernel, with Z U in the last m columns of its storage.
  ReducedKernel eigenvectors(Span<double> w);

 private:
  void make(const Problem& problem);
  void weigh(const Problem& problem);
  void reduce(const Problem& problem);
};

}  // namespace freeridge
