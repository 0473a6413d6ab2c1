// Saving to a file is heard: fractions from 0 to 1, and cancelled at each of its reports (at six of them, and at all: deep) it leaves the old file, and
// nothing else; the same call then succeeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "progress/heard_calls.hpp"
#include "support/deep.hpp"
#include "support/saved.hpp"

namespace progress_test {

using heard::Listener;
using support::Bytes;
using support::Directory;
using support::Kernel;
using support::Model;

constexpr std::int64_t n = 1500, d = 1500;  // 18 MB

Model large_model(bool linear) {
  support::Random random(7);
  Model model(linear ? Kernel::linear() : Kernel::gaussian(60));
  model.data(random.uniform_matrix(n, d, -1, 1), random.uniform_matrix(n, 1, -1, 1)).route(FREERIDGE_ROUTE_CHOLESKY);
  if (!linear) model.factorize().lambda(1);
  return model;
}

void expect_heard(freeridge_model* model, freeridge_save_kind what, const Bytes& bytes) {
  const Directory directory;
  const std::string path = directory / "model";
  Listener whole;
  ASSERT_EQ(freeridge_set_progress(model, Listener::hear, &whole), FREERIDGE_OK);
  ASSERT_EQ(freeridge_save(model, what, path.c_str()), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_TRUE(support::file_bytes(path) == bytes);
  ASSERT_GE(whole.fractions.size(), 4u);
  EXPECT_EQ(whole.fractions.front(), 0.0);
  EXPECT_EQ(whole.fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(whole.fractions.begin(), whole.fractions.end()));
  EXPECT_GT(whole.fractions[whole.fractions.size() - 2], 0.4) << "as far as the bytes are";
  EXPECT_FALSE(whole.on_other_thread);

  const Bytes old = {1, 2, 3};
  support::write_bytes(path, old);
  const std::size_t reports = whole.fractions.size(),
                    step = support::deep() ? 1 : std::max<std::size_t>(reports / 5, 1);
  for (std::size_t place = 0; place < reports; ++place) {
    if (place % step != 0 && place + 1 < reports) continue;
    SCOPED_TRACE("cancelled at report " + std::to_string(place));
    Listener listener;
    listener.cancel_at = place;
    ASSERT_EQ(freeridge_set_progress(model, Listener::hear, &listener), FREERIDGE_OK);
    EXPECT_EQ(freeridge_save(model, what, path.c_str()), FREERIDGE_CANCELLED);
    EXPECT_EQ(listener.fractions.size(), place + 1);
    EXPECT_EQ(support::file_bytes(path), old);
    EXPECT_EQ(directory.names(), (std::set<std::string>{"model"}));
  }
  // Nobody is asked on the way to memory.
  Listener none;
  ASSERT_EQ(freeridge_set_progress(model, Listener::hear, &none), FREERIDGE_OK);
  std::int64_t length = 0;
  EXPECT_EQ(freeridge_save_to_memory(model, FREERIDGE_SAVE_PREDICTOR, 0, nullptr, &length),
            what == FREERIDGE_SAVE_MODEL ? FREERIDGE_INVALID_STATE : FREERIDGE_OK);
  EXPECT_TRUE(none.fractions.empty());
  ASSERT_EQ(freeridge_set_progress(model, nullptr, nullptr), FREERIDGE_OK);
  ASSERT_EQ(freeridge_save(model, what, path.c_str()), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_TRUE(support::file_bytes(path) == bytes);
}

TEST(SavedProgress, OfAModel) {
  const Model model = large_model(true);
  expect_heard(model.get(), FREERIDGE_SAVE_MODEL, support::saved(model.get()));
}

TEST(SavedProgress, OfAPredictor) {
  const Model model = large_model(false);
  const Bytes bytes = support::saved_predictor(model.get());
  expect_heard(model.get(), FREERIDGE_SAVE_PREDICTOR, bytes);
  expect_heard(support::loaded(bytes).get(), FREERIDGE_SAVE_PREDICTOR, bytes);
}

}  // namespace progress_test
