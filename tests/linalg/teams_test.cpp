// A BLAS that asks OpenMP for a team for whatever product, as BLIS does: no team for small calls. This program shows the
// core such a process: its dlsym (the linker's --wrap) finds OpenMP's functions here, and no BLAS that has a name.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"
#include "support/random.hpp"

namespace {

int levels = 3;
std::vector<int> told;  // what was set

int threads() {
  return 2;
}
void set_threads(int) {}
int get_levels() {
  return levels;
}
void set_levels(int count) {
  told.push_back(count);
  levels = count;
}

}  // namespace

extern "C" void* __real_dlsym(void*, const char* name);
extern "C" void* __wrap_dlsym(void*, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "cblas_dgemm") return __real_dlsym(nullptr, name);  // the BLAS is a shared library
  if (wanted == "omp_get_max_threads") return reinterpret_cast<void*>(&threads);
  if (wanted == "omp_set_num_threads") return reinterpret_cast<void*>(&set_threads);
  if (wanted == "omp_get_max_active_levels") return reinterpret_cast<void*>(&get_levels);
  if (wanted == "omp_set_max_active_levels") return reinterpret_cast<void*>(&set_levels);
  return nullptr;
}

namespace {

using namespace freeridge;

Matrix random_matrix(Index rows, Index cols) {
  support::Random random(1);
  Matrix out(rows, cols);
  for (double& value : out.values()) value = random.normal();
  return out;
}

// n I + a random matrix / 4
Matrix definite_matrix(Index n) {
  Matrix out = random_matrix(n, n);
  for (double& value : out.values()) value /= 4;
  for (Index i = 0; i < n; ++i) out(i, i) += static_cast<double>(n);
  return out;
}

struct Call {
  const char* name;
  Index small, large;  // sizes of a call without a team, and of one with a team
  void (*run)(Index n);
};

const Call calls[] = {
    {"gemm", 40, 41,
     [](Index n) {
       const Matrix a = random_matrix(n, n);
       Matrix c(n, n);
       gemm(Op::none, Op::none, 1, a.view(), a.view(), 0, c.view());
     }},
    {"syrk", 50, 51,
     [](Index n) {
       const Matrix a = random_matrix(n, n);
       Matrix c(n, n);
       syrk(Op::none, 1, a.view(), 0, c.view());
     }},
    {"syr2k", 40, 41,
     [](Index n) {
       const Matrix a = random_matrix(n, n);
       Matrix c(n, n);
       syr2k(1, a.view(), a.view(), 0, c.view());
     }},
    {"trsm", 50, 51,
     [](Index n) {
       const Matrix l = definite_matrix(n);
       Matrix b = random_matrix(n, n);
       trsm(Op::none, l.view(), b.view());
     }},
    {"trsm_right", 50, 51,
     [](Index n) {
       const Matrix l = definite_matrix(n);
       Matrix b = random_matrix(n, n);
       trsm_right(Op::transpose, l.view(), b.view());
     }},
    {"potrf", 73, 74,
     [](Index n) {
       Matrix a = definite_matrix(n);
       EXPECT_TRUE(potrf(a.view()));
     }},
    {"potri", 58, 59,
     [](Index n) {
       Matrix l = definite_matrix(n);
       potri(l.view());
     }},
    {"geqrf", 31, 33,
     [](Index n) {
       Matrix a = random_matrix(n, n);
       std::vector<double> tau(static_cast<std::size_t>(n));
       geqrf(a.view(), tau);
     }},
    {"ormqr", 31, 33,
     [](Index n) {
       const Matrix qr = random_matrix(n, n);
       Matrix c = random_matrix(n, n);
       ormqr(qr.view(), std::vector<double>(static_cast<std::size_t>(n), 0.5), c.view());
     }},
    {"gesdd", 43, 44,
     [](Index n) {
       Matrix a = random_matrix(n, n), u(n, n), vt(n, n);
       std::vector<double> s(static_cast<std::size_t>(n));
       gesdd(a.view(), s, u.view(), vt.view());
     }},
    {"pbtrf", 63, 64,
     [](Index rows) {
       Matrix ab(rows, 200, 1.0 / 256);
       for (Index j = 0; j < ab.cols(); ++j) ab(0, j) = 2;
       EXPECT_TRUE(pbtrf(ab.view()));
     }},
    {"stedc", 50, 51,
     [](Index n) {
       std::vector<double> d(static_cast<std::size_t>(n), 2), e(d.size(), 1);
       Matrix v(n, n);
       stedc(d, e, v.view());
     }},
    {"bdsdc", 50, 51,
     [](Index n) {
       std::vector<double> d(static_cast<std::size_t>(n), 2), e(d.size(), 1);
       Matrix u(n, n), vt(n, n);
       bdsdc('U', d, e, u.view(), vt.view());
     }},
};

TEST(Teams, ThereIsSuchABlas) {
  ASSERT_NE(blas_control().set_levels, nullptr);
  EXPECT_TRUE(blas_control().of_thread);
  EXPECT_EQ(flop(), 16);
}

TEST(Teams, NoneForWhatIsOverBefore) {
  for (const Call& call : calls) {
    SCOPED_TRACE(call.name);
    levels = 3;
    told.clear();
    call.run(call.small);
    EXPECT_EQ(told, (std::vector<int>{0, 3}));
    told.clear();
    call.run(call.large);
    EXPECT_EQ(told, std::vector<int>{});
    levels = 0;  // as within a loop
    call.run(call.small);
    EXPECT_EQ(told, std::vector<int>{});
    EXPECT_EQ(levels, 0);
  }
}

// The loops' own levels, and those of a call within.
TEST(Teams, CallsWithinALoopLeaveThemAway) {
  levels = 2;
  told.clear();
  {
    const SingleThreadedBlas single;
    EXPECT_EQ(levels, 0);
    calls[0].run(4);
    EXPECT_EQ(levels, 0);
  }
  EXPECT_EQ(told, (std::vector<int>{0, 2}));
}

}  // namespace
