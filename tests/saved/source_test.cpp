// The reader, asked directly: a file that changes after its checksum has been looked at is CORRUPT, whatever it has
// become, and never a crash.
#include <gtest/gtest.h>

#include "libcore/base/error.hpp"
#include "libcore/model/saved_model.hpp"
#include "support/memory_gatherer.hpp"

namespace source_test {

using freeridge::ByteSource;
using freeridge::Index;

// Sound until all of it has been read once; then `change` has been done to it.
class Changing final : public ByteSource {
 public:
  Changing(std::vector<unsigned char> bytes, std::size_t at, unsigned char flips, bool shorter)
      : bytes_(std::move(bytes)), at_(at), flips_(flips), shorter_(shorter) {}
  Index size() const override { return static_cast<Index>(bytes_.size()); }
  void read(Index at, freeridge::Span<unsigned char> out) const override {
    const auto from = static_cast<std::size_t>(at);
    if (changed_ && shorter_ && from + out.size() > at_)
      throw freeridge::Error(freeridge::Status::corrupt, "the file has become shorter while it was read");
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = static_cast<unsigned char>(bytes_[from + k] ^ (changed_ && from + k == at_ ? flips_ : 0));
    if (from + out.size() == bytes_.size()) changed_ = true;
  }

 private:
  std::vector<unsigned char> bytes_;
  std::size_t at_;
  unsigned char flips_;
  bool shorter_;
  mutable bool changed_ = false;
};

std::vector<unsigned char> fitted(bool predictor) {
  const double x[] = {0, 1, 2, 3, 5, 8}, y[] = {1, -1, 2, 0, 3, 1}, lambda[] = {0.5};
  freeridge::Model model(freeridge::gaussian_kernel(2.0));
  model.set_data(freeridge::LayoutView{x, 6, 1, 6, freeridge::Layout::col_major},
                 {y, 6, 1, 6, freeridge::Layout::col_major}, true);
  model.set_route(freeridge::Route::spectral);
  model.factorize();
  model.set_lambdas(lambda);
  support::MemoryGatherer out;
  if (predictor)
    write_container(
        freeridge::SavedKind::predictor, [&](freeridge::ByteWriter& w) { save_prediction(model.prediction(), w); },
        out);
  else
    write_container(
        freeridge::SavedKind::model, [&](freeridge::ByteWriter& w) { model.save(w); }, out);
  return out.all;
}

TEST(SavedSource, ChangesBetweenThePasses) {
  for (const bool predictor : {false, true}) {
    const std::vector<unsigned char> bytes = fitted(predictor);
    EXPECT_NO_THROW(freeridge::load(Changing(bytes, 0, 0, false)));
    for (std::size_t at = 32; at + 8 < bytes.size(); ++at)
      for (const unsigned char flips : std::initializer_list<unsigned char>{0x01, 0x80, 0xff}) {
        try {
          freeridge::load(Changing(bytes, at, flips, false));
          ADD_FAILURE() << "byte " << at << " changed, and nobody saw it";
        } catch (const freeridge::Error& error) {
          EXPECT_EQ(error.status(), freeridge::Status::corrupt) << at << ": " << error.what();
        }
      }
    for (std::size_t at = 33; at < bytes.size() - 8; ++at)
      EXPECT_THROW(freeridge::load(Changing(bytes, at, 0, true)), freeridge::Error) << at;
  }
}

// What counts and what is written must agree: a payload that does not is a fault of the library, and no file.
TEST(SavedSource, APayloadThatChangesIsNotWritten) {
  int calls = 0;
  support::MemoryGatherer out;
  EXPECT_THROW(write_container(
                   freeridge::SavedKind::model,
                   [&](freeridge::ByteWriter& w) {
                     for (int k = 0; k <= calls; ++k) w.integer(k);
                     ++calls;
                   },
                   out),
               freeridge::Error);
}

// The checksum by eight bytes at a time is that of the definition, for every length and begin.
TEST(SavedSource, TextsOfEveryLength) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string text(length, static_cast<char>('a' + length % 26));
    support::MemoryGatherer out;
    write_container(
        freeridge::SavedKind::model, [&](freeridge::ByteWriter& w) { w.text(text); }, out);
    EXPECT_EQ(out.all.size(), 40 + 8 + (length + 7) / 8 * 8);
    const freeridge::MemorySource source(out.all);
    freeridge::ByteReader in(source, {freeridge::SavedKind::model});
    EXPECT_EQ(in.text("a text"), text);
    EXPECT_NO_THROW(in.end());
  }
}

}  // namespace source_test
