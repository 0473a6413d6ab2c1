// Saved models, predictors and accumulators that are not what was saved. The bytes are loaded as they are, and once
// more in a frame that is mended (length, checksum), so that the reader behind the checksum is met.
//   - a status, never a crash, and no more memory than the bytes account for
//   - what loads answers everything within the rules, is saved again, and loads again as the same bytes
#include "fuzz/answers.hpp"
#include "support/saved.hpp"
#include "support/search.hpp"

namespace {

using fuzz::Bytes;
using fuzz::Caller;
namespace frame = support::frame;

constexpr std::uint64_t accumulator_kind = 1, predictor_kind = 3;
constexpr std::int64_t most = 64;  // of each size, for what is asked

// The payload of that kind in a sound frame.
Bytes mended(const Bytes& bytes) {
  Bytes out = bytes;
  out.resize(std::max(out.size(), frame::payload));
  const std::size_t length = (out.size() - frame::payload) / 8 * 8;
  const char magic[] = "FREERIDG";
  std::copy(magic, magic + 8, out.begin());
  frame::put(out, frame::version, 1);
  const std::uint64_t kind = frame::get(out, frame::kind);
  frame::put(out, frame::kind, kind == 0 ? 3 : 1 + (kind - 1) % 3);
  return frame::with_payload_length(out, length);
}

void expect_same_again(const Bytes& first, const Bytes& second) {
  if (first != second) fuzz::wrong("what was loaded and saved loads and saves as other bytes");
}

// A forged file may hold any numbers, and so have any answers.
void ask_forged(const freeridge_model* model, Caller& call) {
  std::int64_t n = 0, d = 0, t = 0;
  if (freeridge_get_dimensions(model, &n, &d, &t) == FREERIDGE_OK && (n > most || d > most || t > most)) return;
  freeridge_search search = support::no_search();
  freeridge_get_search(model, &search);
  if (search.count > 1000) return;
  fuzz::ask(model, {}, call);
}

// Where x stands is within the bytes, and what loads has told it.
void locate(const Bytes& bytes, bool loads, Caller& call) {
  Output<std::int64_t> first(1), length(1);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto status = ASK(freeridge_locate_saved_x, 0, bytes.data(), size, first, length);
  if (status != FREERIDGE_OK && loads) fuzz::wrong("a predictor loads, but does not tell where its x is");
  if (status != FREERIDGE_OK) return;
  const std::int64_t at = first.values[0], count = length.values[0];
  if (at < 0 || count < 0 || count > size || at > size - count) fuzz::wrong("x is said to be outside the bytes");
}

void load(const Bytes& bytes, Caller& call) {
  if (bytes.size() >= frame::payload && frame::get(bytes, frame::kind) == accumulator_kind) {
    const auto handle = fuzz::loaded_accumulator(bytes, call);
    if (!handle) return;
    std::int64_t d = 0, t = 0;
    freeridge_accumulator_get_dimensions(handle.get(), nullptr, &d, &t, nullptr);
    const Bytes first = fuzz::saved(handle.get(), call);
    if (d <= most && t <= most) fuzz::ask(handle.get(), {}, call);
    const auto again = fuzz::loaded_accumulator(first, call);
    if (!again) fuzz::wrong("an accumulator that was loaded and saved does not load");
    expect_same_again(first, fuzz::saved(again.get(), call));
    return;
  }
  const auto model = fuzz::loaded_model(bytes, call);
  locate(bytes, model && frame::get(bytes, frame::kind) == predictor_kind, call);
  if (!model) return;
  call.of_a_predictor = frame::get(bytes, frame::kind) == predictor_kind;
  ask_forged(model.get(), call);
  for (const bool predictor : {false, true}) {
    const Bytes first = fuzz::saved(model.get(), predictor, call);
    if (first.empty()) continue;  // a predictor, or not fitted
    const auto again = fuzz::loaded_model(first, call);
    if (!again) fuzz::wrong("a model that was loaded and saved does not load");
    expect_same_again(first, fuzz::saved(again.get(), predictor, call));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, data + size);
  Caller call;
  call.any_numbers = true;
  if (!bytes.empty()) load(bytes, call);
  Caller anew;
  anew.any_numbers = true;
  load(mended(bytes), anew);
  return 0;
}
