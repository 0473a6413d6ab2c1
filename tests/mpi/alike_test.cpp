// Every collective call of the header, with each of its arguments different on one rank, ranks that make different calls,
// one rank that has no memory, and messages of MPI that fail: no rank waits for another, and all have the same status.
// The calls and their arguments are read from freeridge_mpi.h.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "faults/allocations.hpp"
#include "mpi/ranks.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace messages {

int until_failure = 0;  // the message of the library at which all ranks fail; 0: none

bool fails(const void* caller) {
  Dl_info from{};
  if (until_failure == 0 || dladdr(caller, &from) == 0 ||
      std::string_view(from.dli_fname).find("libfreeridge_mpi") == std::string_view::npos)
    return false;
  return --until_failure == 0;
}

}  // namespace messages

#define FAILING(...)                                                   \
  if (messages::fails(__builtin_return_address(0))) return MPI_ERR_IO; \
  return __VA_ARGS__

extern "C" {
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FAILING(PMPI_Allreduce(from, to, count, type, op, comm));
}
int MPI_Bcast(void* at, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  FAILING(PMPI_Bcast(at, count, type, root, comm));
}
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  FAILING(PMPI_Reduce(from, to, count, type, op, root, comm));
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FAILING(PMPI_Exscan(from, to, count, type, op, comm));
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  FAILING(PMPI_Comm_dup(comm, out));
}
}

namespace {

using support::Kernel;
using support::Matrix;
using support::Vector;

struct Arguments {
  const freeridge_kernel* kernel;
  freeridge_accumulator* accumulator;
  freeridge_mpi_dense* dense;
  const double *x, *y, *weights = nullptr, *lambdas;
  double *lambda, *score, *z, *scores, *errors;
  int64_t* found;
  void* out;  // a place for a handle, or NULL
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = 40, d = 3, ldx = 40, t = 2, ldy = 40, sample = 30, seed = 5, count = 2, ldz = 10, ld = 40;
  freeridge_landmark_method method = FREERIDGE_LANDMARKS_RANDOM;
  int32_t intercept = 1;
  freeridge_reduction reduction = FREERIDGE_REDUCTION_GRAM;
  freeridge_criterion criterion = FREERIDGE_LOO;
  double low = 0.01, high = 10;
  freeridge_mpi_engine engine = FREERIDGE_MPI_ENGINE_CHOLESKY;
  int64_t expected_lambdas = 1;
  bool has_points = true, has_search = true;
  const int32_t* group = nullptr;
};

// The points of the arguments, or NULL.
struct Rows {
  explicit Rows(const Arguments& a) : given(a.has_points), points(support::at(a.layout, a.n, a.d, a.x, a.ldx)) {}
  operator const freeridge_points*() const { return given ? &points.fields : nullptr; }

  bool given;
  support::Points points;
};

using Call = std::function<freeridge_status(const Arguments&)>;
const std::map<std::string, Call> calls = {
    {"accumulator_allreduce",
     [](const Arguments& a) {
       return freeridge_mpi_accumulator_allreduce(a.accumulator, MPI_COMM_WORLD,
                                                  static_cast<freeridge_accumulator**>(a.out));
     }},
    {"accumulator_select_lambda",
     [](const Arguments& a) {
       freeridge_search search{};
       search.size = sizeof search;
       search.lambda = a.lambda;
       search.score = a.score;
       return freeridge_mpi_accumulator_select_lambda(a.accumulator, MPI_COMM_WORLD, a.criterion, a.low, a.high,
                                                      Rows(a), a.layout, a.y, a.ldy, a.weights, a.group,
                                                      a.has_search ? &search : nullptr);
     }},
    {"choose_landmarks",
     [](const Arguments& a) {
       return freeridge_mpi_choose_landmarks(a.kernel, MPI_COMM_WORLD, Rows(a), a.sample, a.method, a.seed, a.count,
                                             a.z, a.ldz, a.found);
     }},
    {"accumulator_create_landmarks",
     [](const Arguments& a) {
       return freeridge_mpi_accumulator_create_landmarks(a.kernel, MPI_COMM_WORLD, Rows(a), a.sample, a.method, a.seed,
                                                         a.count, a.t, a.intercept, a.reduction,
                                                         static_cast<freeridge_accumulator**>(a.out));
     }},
    {"dense_create",
     [](const Arguments& a) {
       return freeridge_mpi_dense_create(a.kernel, MPI_COMM_WORLD, a.layout, a.n, a.d, a.x, a.ldx, a.t, a.y, a.ldy,
                                         a.weights, a.intercept, static_cast<freeridge_mpi_dense**>(a.out));
     }},
    {"dense_factorize",
     [](const Arguments& a) { return freeridge_mpi_dense_factorize(a.dense, a.engine, a.expected_lambdas); }},
    {"dense_score",
     [](const Arguments& a) {
       return freeridge_mpi_dense_score(a.dense, a.criterion, a.count, a.lambdas, a.scores, a.ld);
     }},
    {"dense_loo",
     [](const Arguments& a) { return freeridge_mpi_dense_loo(a.dense, a.count, a.lambdas, a.errors, a.ld); }},
    {"dense_select_lambda",
     [](const Arguments& a) {
       return freeridge_mpi_dense_select_lambda(a.dense, a.criterion, a.low, a.high, a.lambda, a.score);
     }},
    {"dense_predictor", [](const Arguments& a) {
       return freeridge_mpi_dense_predictor(a.dense, a.lambdas, static_cast<freeridge_model**>(a.out));
     }}};

// The collective calls of the header, each with the names of its arguments.
std::map<std::string, std::vector<std::string>> collective_calls() {
  std::stringstream text;
  text << std::ifstream(FREERIDGE_MPI_HEADER).rdbuf();
  const std::string header = text.str();
  const std::set<std::string> local = {"has_engine",           "dense_set_progress", "dense_memory_required",
                                       "dense_get_dimensions", "dense_get_engine",   "dense_lambda_floor"};
  std::map<std::string, std::vector<std::string>> out;
  const std::regex call("freeridge_status\\s+freeridge_mpi_(\\w+)\\(([^;]*)\\);"), last_word("(\\w+)\\s*(,|$)");
  for (std::sregex_iterator it(header.begin(), header.end(), call), end; it != end; ++it) {
    if (local.count((*it)[1]) != 0) continue;
    const std::string arguments = (*it)[2];
    for (std::sregex_iterator word(arguments.begin(), arguments.end(), last_word); word != end; ++word)
      out[(*it)[1]].push_back((*word)[1]);
  }
  return out;
}

using Changes = std::vector<std::function<void(Arguments&)>>;

template <class T>
Changes numbers(T Arguments::*place, std::initializer_list<T> values) {
  Changes out;
  for (const T value : values) out.push_back([=](Arguments& a) { a.*place = value; });
  return out;
}
template <class T>
Changes null(T* Arguments::*place) {
  return {[=](Arguments& a) { a.*place = nullptr; }};
}

// The status, which is that of all ranks.
freeridge_status of_all(freeridge_status status) {
  int ends[2] = {status, -status};
  PMPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(ends[0], -ends[1]) << "the ranks have different statuses; own: " << freeridge_mpi_last_error();
  return status;
}

// While an object of this class lives, this process has no room for OpenBLAS's buffer of 128 MiB: half of that is left.
class NoRoomForABuffer {
 public:
  NoRoomForABuffer() {
    getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit limited = before_;
    limited.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    setrlimit(RLIMIT_AS, &limited);
  }
  ~NoRoomForABuffer() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

// The first test of the program, as later ones have the buffer. The limited rank has no handle for the first call; then
// none has one.
TEST(MpiAtFirst, OneRankWithoutABuffer) {
  alarm(60);  // a rank that waits for another ends here
  const bool asks = dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr;
  std::optional<NoRoomForABuffer> no_room;
  if (ranks::rank() == ranks::count() - 1) no_room.emplace();
  const double points[4] = {1, 2, 3, 4}, lambdas[1] = {1};
  double out[8] = {};
  int64_t found = 0;
  freeridge_kernel* kernel = nullptr;
  freeridge_accumulator* own = nullptr;
  EXPECT_EQ(freeridge_kernel_gaussian(1, &kernel), no_room && asks ? FREERIDGE_OUT_OF_MEMORY : FREERIDGE_OK);
  EXPECT_EQ(freeridge_accumulator_create(1, 1, 0, &own), no_room && asks ? FREERIDGE_OUT_OF_MEMORY : FREERIDGE_OK);
  for (const auto& [name, call] : calls) {
    if (name.starts_with("dense_") && name != "dense_create") continue;  // on what dense_create has not made
    SCOPED_TRACE(name);
    void* made = nullptr;
    Arguments a{kernel, own, nullptr, points, points, nullptr, lambdas, out, out, out, out, out, &found, &made};
    a.n = a.ldx = a.ldy = a.ldz = 4;
    a.d = a.t = a.sample = a.count = 1;
    const freeridge_status status = of_all(call(a));
    EXPECT_EQ(made, nullptr);
    if (!asks) continue;
    EXPECT_STATUS(status, FREERIDGE_OUT_OF_MEMORY, "OpenBLAS needs a buffer");
  }
  freeridge_kernel_destroy(kernel);
  freeridge_accumulator_destroy(own);
  alarm(0);
}

class MpiAlike : public ranks::Together {
 protected:
  MpiAlike() : x(support::Random(1).uniform_matrix(60, 3, -1, 1)), y(support::Random(2).uniform_matrix(60, 3, -1, 1)) {
    other_x = support::Random(3).uniform_vector(180, -1, 1);
    with_nan = x.values;
    with_nan[4] = std::nan("");
  }
  ~MpiAlike() override {
    for (freeridge_accumulator* each : {own, reduced, other}) freeridge_accumulator_destroy(each);
    freeridge_mpi_dense_destroy(dense);
    alarm(0);
  }
  void SetUp() override {
    alarm(240);  // a rank that waits for another ends here
    ASSERT_EQ(freeridge_accumulator_create(3, 2, 1, &own), FREERIDGE_OK);
    ASSERT_EQ(freeridge_accumulator_create(2, 2, 1, &other), FREERIDGE_OK);
    for (freeridge_accumulator* each : {own, other})
      ASSERT_EQ(freeridge_accumulator_add(
                    each, support::at(FREERIDGE_COL_MAJOR, 40, each == own ? 3 : 2, x.values.data(), 40),
                    FREERIDGE_COL_MAJOR, y.values.data(), 40, nullptr),
                FREERIDGE_OK);
    EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(own, MPI_COMM_WORLD, &reduced), FREERIDGE_OK);
    EXPECT_STATUS(freeridge_mpi_dense_create(kernel.get(), MPI_COMM_WORLD, FREERIDGE_COL_MAJOR, 40, 3, x.values.data(),
                                             40, 2, y.values.data(), 40, nullptr, 1, &dense),
                  FREERIDGE_OK);
    EXPECT_STATUS(freeridge_mpi_dense_factorize(dense, FREERIDGE_MPI_ENGINE_CHOLESKY, 1), FREERIDGE_OK);
  }

  Arguments arguments() {
    Arguments a{};
    a.kernel = kernel.get();
    a.accumulator = reduced;
    a.dense = dense;
    a.x = x.values.data();
    a.y = y.values.data();
    a.lambdas = lambdas;
    a.lambda = numbers_out;
    a.score = numbers_out + 10;
    a.z = a.scores = a.errors = numbers_out;
    a.found = &found;
    a.out = &handle;
    return a;
  }
  // Makes the call, and frees the handle that it may have made.
  freeridge_status make(const std::string& name, Arguments a) {
    handle = nullptr;
    if (name == "accumulator_allreduce" && a.accumulator == reduced) a.accumulator = own;
    const freeridge_status status = calls.at(name)(a);
    if (handle == nullptr) return status;
    if (name == "dense_create")
      freeridge_mpi_dense_destroy(static_cast<freeridge_mpi_dense*>(handle));
    else if (name == "dense_predictor")
      freeridge_destroy(static_cast<freeridge_model*>(handle));
    else
      freeridge_accumulator_destroy(static_cast<freeridge_accumulator*>(handle));
    return status;
  }
  static bool faulty() { return ranks::rank() == ranks::count() - 1; }

  // What an argument may be on one rank, by its name. The first change of those in `same` is legal by itself: that the
  // ranks differ is all that is wrong.
  std::map<std::string, Changes> changes() {
    constexpr int64_t huge = std::numeric_limits<int64_t>::max();
    const double nan = std::nan("");
    std::map<std::string, Changes> out = {
        {"kernel", {[this](Arguments& a) { a.kernel = wider.get(); }, [](Arguments& a) { a.kernel = nullptr; }}},
        {"accumulator",
         {[this](Arguments& a) { a.accumulator = other; }, [](Arguments& a) { a.accumulator = nullptr; }}},
        {"layout", numbers<freeridge_layout>(&Arguments::layout, {FREERIDGE_ROW_MAJOR, 9, -1})},
        {"n", numbers<int64_t>(&Arguments::n, {39, 30, 1, 0, -1, huge})},
        {"d", numbers<int64_t>(&Arguments::d, {2, 1, 0, -1, huge})},
        {"x",
         {[this](Arguments& a) { a.x = other_x.data(); }, [this](Arguments& a) { a.x = with_nan.data(); },
          [](Arguments& a) { a.x = nullptr; }}},
        {"ldx", numbers<int64_t>(&Arguments::ldx, {41, 39, 0, huge})},
        {"t", numbers<int64_t>(&Arguments::t, {1, 3, 0, -1, huge})},
        {"y",
         {[this](Arguments& a) { a.y = other_x.data(); }, [this](Arguments& a) { a.y = with_nan.data(); },
          [](Arguments& a) { a.y = nullptr; }}},
        {"ldy", numbers<int64_t>(&Arguments::ldy, {41, 39, 0, huge})},
        {"weights",
         {[this](Arguments& a) { a.weights = some; }, [this](Arguments& a) { a.weights = with_nan.data(); }}},
        {"intercept", numbers<int32_t>(&Arguments::intercept, {0, 2})},
        {"sample", numbers<int64_t>(&Arguments::sample, {29, 1, 0, -1, huge})},
        {"method", numbers<freeridge_landmark_method>(&Arguments::method, {FREERIDGE_LANDMARKS_PIVOTED, 99})},
        {"seed", numbers<int64_t>(&Arguments::seed, {6})},
        {"count", numbers<int64_t>(&Arguments::count, {1, 3, 0, -1, huge})},
        {"ldz", numbers<int64_t>(&Arguments::ldz, {11, 1, 0})},
        {"reduction", numbers<freeridge_reduction>(&Arguments::reduction, {FREERIDGE_REDUCTION_QR, 99})},
        {"criterion", numbers<freeridge_criterion>(&Arguments::criterion, {FREERIDGE_GCV, FREERIDGE_REML, 99})},
        {"low", numbers<double>(&Arguments::low, {0.02, 0, 100, -1, nan})},
        {"high", numbers<double>(&Arguments::high, {11, 0, nan})},
        {"engine", numbers<freeridge_mpi_engine>(&Arguments::engine,
                                                 {FREERIDGE_MPI_ENGINE_PDSYEVD, FREERIDGE_MPI_ENGINE_AUTO, 99})},
        {"expected_lambdas", numbers<int64_t>(&Arguments::expected_lambdas, {100, 9, 0, -1})},
        {"lambdas", {[this](Arguments& a) { a.lambdas = other_lambdas; }, [](Arguments& a) { a.lambdas = nullptr; }}},
        {"ld", numbers<int64_t>(&Arguments::ld, {41, 0, -1})},
        {"lambda", null(&Arguments::lambda)},
        {"points",
         {[](Arguments& a) { a.n = 39; }, [](Arguments& a) { a.n = 0; }, [](Arguments& a) { a.n = -1; },
          [](Arguments& a) { a.d = 2; }, [](Arguments& a) { a.ldx = 39; }, [](Arguments& a) { a.layout = 9; },
          [this](Arguments& a) { a.x = other_x.data(); }, [this](Arguments& a) { a.x = with_nan.data(); },
          [](Arguments& a) { a.x = nullptr; }, [](Arguments& a) { a.has_points = false; }}},
        {"group", {[this](Arguments& a) { a.group = labels; }}},
        {"search", {[](Arguments& a) { a.has_search = false; }}},
        {"score", null(&Arguments::score)},
        {"scores", null(&Arguments::scores)},
        {"errors", null(&Arguments::errors)},
        {"z", null(&Arguments::z)},
        {"found", null(&Arguments::found)},
        {"out", {[](Arguments& a) { a.out = nullptr; }}}};
    return out;
  }

  Kernel kernel = Kernel::gaussian(1), wider = Kernel::gaussian(2);
  Matrix x, y;
  Vector other_x, with_nan;
  const double lambdas[3] = {0.1, 1, 2}, other_lambdas[3] = {0.1, 1.5, 2};
  const double* some = other_lambdas;
  double numbers_out[400] = {};
  const int32_t labels[60] = {};
  int64_t found = 0;
  void* handle = nullptr;
  freeridge_accumulator *own = nullptr, *reduced = nullptr, *other = nullptr;
  freeridge_mpi_dense* dense = nullptr;
};

TEST_F(MpiAlike, EachArgumentOfEachCall) {
  const std::set<std::string> own_rows = {"layout", "n", "x", "ldx", "y", "ldy", "weights", "points"},
                              legal = {"ldx", "ldy", "ldz", "ld"};
  const Vector weights(60, 1.5);
  some = weights.data();
  const auto all = collective_calls();
  ASSERT_EQ(all.size(), calls.size());
  auto different = changes();
  int made = 0;
  for (const auto& [name, names] : all) {
    EXPECT_STATUS(make(name, arguments()), FREERIDGE_OK);
    for (const std::string& argument : names) {
      if (argument == "comm" || argument == "dense") continue;  // without which a rank knows of no other
      ASSERT_EQ(different.count(argument), 1u) << argument;
      for (std::size_t k = 0; k < different[argument].size(); ++k) {
        SCOPED_TRACE(name + ", " + argument + ", change " + std::to_string(k));
        Arguments a = arguments();
        if (faulty()) different[argument][k](a);
        const freeridge_status status = of_all(make(name, a));
        ++made;
        const bool rows = own_rows.count(argument) != 0 && name != "dense_create";
        if (ranks::count() == 1 || k > 0 || rows || legal.count(argument) != 0 || argument == "layout") continue;
        const bool pointer = different[argument].size() == 1 && argument != "seed";
        EXPECT_EQ(status, pointer ? FREERIDGE_INVALID_ARGUMENT : FREERIDGE_DIMENSION_MISMATCH)
            << freeridge_mpi_last_error();
        const std::string words = freeridge_mpi_last_error();
        EXPECT_TRUE(argument == "accumulator" || words.find(argument) != words.npos) << words;
      }
    }
    EXPECT_STATUS(make(name, arguments()), FREERIDGE_OK);
  }
  EXPECT_GE(made, 150);
}

// x is constant: each lambda has the same left-out errors, those of the mean, and 1 is taken.
TEST_F(MpiAlike, NoLambdaMatters) {
  const Vector constant(120, 2.5);
  freeridge_accumulator *part = nullptr, *all = nullptr;
  ASSERT_EQ(freeridge_accumulator_create(3, 1, 1, &part), FREERIDGE_OK);
  ASSERT_EQ(freeridge_accumulator_add(part, support::at(FREERIDGE_COL_MAJOR, 40, 3, constant.data(), 40),
                                      FREERIDGE_COL_MAJOR, y.values.data(), 60, nullptr),
            FREERIDGE_OK);
  EXPECT_STATUS(freeridge_mpi_accumulator_allreduce(part, MPI_COMM_WORLD, &all), FREERIDGE_OK);
  double lambda = 0, score = 0, mean = 0, expected = 0;
  freeridge_search search{};
  search.size = sizeof search;
  search.lambda = &lambda;
  search.score = &score;
  EXPECT_STATUS(
      freeridge_mpi_accumulator_select_lambda(all, MPI_COMM_WORLD, FREERIDGE_LOO, 0, 0,
                                              support::at(FREERIDGE_COL_MAJOR, 40, 3, constant.data(), 40),
                                              FREERIDGE_COL_MAJOR, y.values.data(), 60, nullptr, nullptr, &search),
      FREERIDGE_OK);
  const double rows = 40 * ranks::count();
  for (int i = 0; i < 40; ++i) mean += y(i, 0) / 40;
  for (int i = 0; i < 40; ++i) expected += std::pow((y(i, 0) - mean) * rows / (rows - 1), 2) / 40;
  EXPECT_EQ(lambda, 1);
  EXPECT_NEAR(score, expected, 1e-13 * expected);
  freeridge_accumulator_destroy(part);
  freeridge_accumulator_destroy(all);
}

TEST_F(MpiAlike, DifferentCalls) {
  if (ranks::count() == 1) return;
  for (const auto& [one, unused] : calls)
    for (const auto& [another, unused_too] : calls) {
      const auto over_dense = [](const std::string& name) {
        return name.starts_with("dense_") && name != "dense_create";
      };
      if (one == another || over_dense(one) != over_dense(another)) continue;  // over one communicator
      SCOPED_TRACE(one + " and " + another);
      EXPECT_EQ(of_all(make(faulty() ? another : one, arguments())), FREERIDGE_DIMENSION_MISMATCH);
    }
}

// The k-th request for memory is refused on one rank, the first or the last, for each k.
TEST_F(MpiAlike, OneRankWithoutMemory) {
  const auto refused = [&](const std::string& name, const Arguments& a, int without) {
    int count = 0;
    for (int k = 1;; k += 1 + k / 8) {
      SCOPED_TRACE(name + ", request " + std::to_string(k) + " of rank " + std::to_string(without));
      if (ranks::rank() == without) faults::arm(k);
      const freeridge_status status = of_all(make(name, a));
      int reached = ranks::rank() == without && faults::disarm().refused > 0 ? 1 : 0;
      PMPI_Bcast(&reached, 1, MPI_INT, without, MPI_COMM_WORLD);
      // (Where the request is one of those that find out how much memory there is, the call goes on without.)
      if (status != FREERIDGE_OK) {
        EXPECT_STATUS(status, FREERIDGE_OUT_OF_MEMORY);
        ++count;
      }
      if (reached == 0) return count;
    }
  };
  for (int without = 0; without < ranks::count(); without += std::max(1, ranks::count() - 1))
    for (const freeridge_mpi_engine engine : {FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD})
      for (const auto& [name, unused] : calls) {
        if (engine == FREERIDGE_MPI_ENGINE_PDSYEVD && !name.starts_with("dense_")) continue;
        Arguments a = arguments();
        a.engine = engine;
        EXPECT_GE(refused(name, a, without), 8) << name;
      }
}

// The k-th message of a call fails on all ranks, for each k: IO, and no wrong number.
TEST_F(MpiAlike, MessagesThatFail) {
  for (const auto& [name, unused] : calls) {
    int failed = 0;
    for (int k = 1; k < 2000; k += 1 + k / 8) {
      SCOPED_TRACE(name + ", message " + std::to_string(k));
      messages::until_failure = k;
      const freeridge_status status = make(name, arguments());
      const bool reached = messages::until_failure == 0;
      messages::until_failure = 0;
      EXPECT_EQ(of_all(status), reached ? FREERIDGE_IO : FREERIDGE_OK) << freeridge_mpi_last_error();
      if (!reached) break;
      EXPECT_NE(std::string(freeridge_mpi_last_error()).find(" fails: "), std::string::npos);
      ++failed;
    }
    EXPECT_GE(failed, 3) << name;
    EXPECT_STATUS(make(name, arguments()), FREERIDGE_OK);
  }
}

}  // namespace
