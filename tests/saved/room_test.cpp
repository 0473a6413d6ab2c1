// A saved CHOLESKY or BAND has a triangle in the file, and a square in memory: the square is asked for before it is
// made. require_memory is this program's own (the linker's --wrap), and has as much as the test says.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/model/saved_model.hpp"
#include "support/memory_gatherer.hpp"

namespace {

freeridge::Index there_is = std::numeric_limits<freeridge::Index>::max(), most_asked = 0;

}  // namespace

extern "C" void __wrap__ZN9freeridge14require_memoryElSt17basic_string_viewIcSt11char_traitsIcEES3_l(
    freeridge::Index bytes, std::string_view what, std::string_view advice, freeridge::Index) {
  most_asked = std::max(most_asked, bytes);
  if (bytes > there_is) freeridge::fail(freeridge::Status::out_of_memory, what, " does not fit; ", advice);
}

namespace {

using freeridge::Index;
using freeridge::Route;

TEST(SavedRoom, OfTheSquareIsAskedFor) {
  constexpr Index n = 120, square = 8 * n * n;
  std::vector<double> x, y;
  for (Index i = 0; i < n; ++i) {
    x.push_back(static_cast<double>(i * i % 37));
    y.push_back(static_cast<double>(i % 5));
  }
  const double lambda[] = {0.5};
  for (const Route route : {Route::cholesky, Route::band, Route::spectral}) {
    SCOPED_TRACE(static_cast<int>(route));
    freeridge::Model model(freeridge::gaussian_kernel(2.0));
    model.set_data(freeridge::LayoutView{x.data(), n, 1, n, freeridge::Layout::col_major},
                   {y.data(), n, 1, n, freeridge::Layout::col_major}, true);
    model.set_route(route);
    model.factorize();
    model.set_lambdas(lambda);
    support::MemoryGatherer out;
    write_container(
        freeridge::SavedKind::model, [&](freeridge::ByteWriter& w) { model.save(w); }, out);
    const auto file = static_cast<Index>(out.all.size());
    if (route != Route::spectral) {
      ASSERT_LT(file, square) << "a triangle";
    }

    most_asked = 0;
    there_is = std::max(square, file);
    EXPECT_NO_THROW(freeridge::load(freeridge::MemorySource(out.all)));
    EXPECT_GE(most_asked, square);
    there_is = square - 1;
    try {
      freeridge::load(freeridge::MemorySource(out.all));
      ADD_FAILURE() << "made room that is not there";
    } catch (const freeridge::Error& error) {
      EXPECT_EQ(error.status(), freeridge::Status::out_of_memory);
      EXPECT_NE(std::string(error.what()).find("FREERIDGE_SAVE_PREDICTOR"), std::string::npos) << error.what();
    }
    there_is = std::numeric_limits<Index>::max();
  }
}

}  // namespace
