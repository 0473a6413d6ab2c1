#include "libcore/device/engine.hpp"

#include <map>
#include <mutex>

namespace freeridge {

// The models of a process that use a device at the same time share one engine, with the kernels that it has compiled; the
// last of them takes it along.
EnginePtr open_engine(Index number) {
  if (number == no_device) return nullptr;
  if (number == host_device) return make_host_engine();
  static std::mutex mutex;
  static std::map<Index, std::weak_ptr<Engine>> shared;
  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<Engine>& known = shared[number];
  EnginePtr engine = known.lock();
  if (engine == nullptr) known = engine = make_cuda_engine(number - first_cuda);
  return engine;
}

DeviceMatrix uploaded(const EnginePtr& engine, ConstMatrixView from) {
  DeviceMatrix out(engine, from.rows, from.cols);
  engine->upload(from, out.view());
  return out;
}

Array<double> diagonal_from(const EnginePtr& engine, ConstDeviceView a) {
  Array<double> out(a.rows);
  DeviceMatrix row(engine, 1, a.rows);
  engine->scale({}, {}, diagonal_of(a), row.view());
  engine->download(row.view(), {out.data(), 1, a.rows, 1});
  return out;
}

void set_diagonal(const EnginePtr& engine, Span<const double> values, DeviceView a) {
  const DeviceMatrix row = uploaded(engine, {values.data(), 1, a.rows, 1});
  engine->scale({}, {}, row.view(), diagonal_of(a));
}

double norm1(Engine& engine, ConstDeviceView a) {
  Array<double> sums(a.cols);
  engine.magnitudes(a, sums);
  double largest = 0;
  for (const double sum : sums)
    if (!(sum <= largest)) largest = sum;  // NaN stays
  return largest;
}

}  // namespace freeridge
