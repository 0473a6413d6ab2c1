// What the opaque handles of freeridge.h are.
#pragma once

#include "capi/wall.hpp"
#include "libcore/model/model.hpp"

struct freeridge_kernel {
  freeridge::KernelPtr kernel;
};

struct freeridge_model {
  freeridge::Model model;
};
