// Sequences of calls on every kind of handle: see model_sequence.hpp and other_sequences.hpp.
#include "fuzz/model_sequence.hpp"
#include "fuzz/other_sequences.hpp"

namespace {

template <class Sequence>
void run(fuzz::Source& in) {
  Sequence sequence;
  for (int steps = 0; steps < 60 && !in.empty(); ++steps) sequence.step(in);
  sequence.verify();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  freeridge_set_threads(1);  // equal calls give equal bits
  fuzz::Source in(bytes, size);
  const std::uint8_t kind = in.byte();
  if (kind >= 252) {
    run<fuzz::WindowSequence>(in);
    return 0;
  }
  switch (kind % 8) {
    case 0:
      run<fuzz::AccumulatorSequence>(in);
      break;
    case 1:
      run<fuzz::ClassifierSequence>(in);
      break;
    default:
      run<fuzz::ModelSequence>(in);
      break;
  }
  return 0;
}
