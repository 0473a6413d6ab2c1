// libfreeridge_mpi: CPU seconds of all ranks, seconds by the clock, and the largest memory of a rank.
//     mpirun -n P mpi_ranks rows N D            add, allreduce, LOO at 100 lambdas by a second pass
//     mpirun -n P mpi_ranks landmarks N R       the same over R landmarks of a Gaussian kernel of 8 columns
//     mpirun -n P mpi_ranks dense N ENGINE C    factorize, LOO at C lambdas; ENGINE: 1 CHOLESKY, 2 PDSYEVD, 3 ELPA; 0: a
//                                               model of one process (BAND)
#include <freeridge_mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

double processor_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void require(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  std::printf("%s; %s\n", freeridge_mpi_last_error(), freeridge_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

int rank() {
  int out = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &out);
  return out;
}
int ranks() {
  int out = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &out);
  return out;
}

template <class Work>
void timed(const char* name, const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = processor_seconds(), start = MPI_Wtime();
  work();
  double cpu = processor_seconds() - before;
  MPI_Barrier(MPI_COMM_WORLD);
  const double clock = MPI_Wtime() - start;
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  double memory = double(used.ru_maxrss) / 1024;
  MPI_Allreduce(MPI_IN_PLACE, &cpu, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank() == 0)
    std::printf("%d ranks  %-12s %8.2f s of all cores %8.2f s %8.0f MiB a rank\n", ranks(), name, cpu, clock, memory);
}

// Numbers that depend on the place alone, so that any division has the same rows.
double number(std::int64_t place) {
  return std::fmod(std::sin(double(place) * 12.9898) * 43758.5453, 1);
}

std::vector<double> lambdas(int count) {
  std::vector<double> out;
  for (int l = 0; l < count; ++l) out.push_back(1e-3 * std::pow(10, 6.0 * l / std::max(count - 1, 1)));
  return out;
}

struct Shard {
  std::int64_t n, d;
  std::vector<double> x, y;

  Shard(std::int64_t all, std::int64_t columns) : d(columns) {
    const std::int64_t first = all * rank() / ranks();
    n = all * (rank() + 1) / ranks() - first;
    x.resize(std::size_t(n * d));
    y.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < d; ++k) x[std::size_t(i * d + k)] = number((first + i) * d + k);
      y[std::size_t(i)] = x[std::size_t(i * d)] + 0.1 * number(-first - i);
    }
  }
  freeridge_points points() const {
    freeridge_points out{};
    out.size = sizeof out;
    out.n = n;
    out.d = d;
    out.layout = FREERIDGE_ROW_MAJOR;
    out.x = x.data();
    return out;
  }
};

// The two passes over the rows of all ranks, from an empty accumulator on.
void passes(const Shard& own, freeridge_accumulator* part) {
  const freeridge_points rows = own.points();
  freeridge_accumulator* all = nullptr;
  timed("add", [&] { require(freeridge_accumulator_add(part, &rows, FREERIDGE_ROW_MAJOR, own.y.data(), 1, nullptr)); });
  timed("allreduce", [&] { require(freeridge_mpi_accumulator_allreduce(part, MPI_COMM_WORLD, &all)); });
  std::int64_t sent = 0, received = 0;
  require(freeridge_accumulator_save_to_memory(part, 0, nullptr, &sent));
  require(freeridge_accumulator_save_to_memory(all, 0, nullptr, &received));
  if (rank() == 0)
    std::printf("a rank sends %.2f MB, and receives %.2f MB\n", 1e-6 * double(sent), 1e-6 * double(received));
  const std::vector<double> tried = lambdas(100);
  std::vector<double> moments(5 * tried.size());
  timed("LOO, a pass", [&] {
    require(freeridge_accumulator_moments(all, &rows, FREERIDGE_ROW_MAJOR, own.y.data(), 1, nullptr, nullptr, 100,
                                          tried.data(), moments.data()));
  });
  freeridge_accumulator_destroy(part);
  freeridge_accumulator_destroy(all);
}

void rows(std::int64_t n, std::int64_t d) {
  const Shard own(n, d);
  freeridge_accumulator* part = nullptr;
  require(freeridge_accumulator_create(d, 1, 1, &part));
  passes(own, part);
}

void landmarks(std::int64_t n, std::int64_t r) {
  const Shard own(n, 8);
  freeridge_kernel* kernel = nullptr;
  freeridge_accumulator* part = nullptr;
  require(freeridge_kernel_gaussian(1, &kernel));
  timed("landmarks", [&] {
    const freeridge_points rows = own.points();
    require(freeridge_mpi_accumulator_create_landmarks(kernel, MPI_COMM_WORLD, &rows, 10 * r,
                                                       FREERIDGE_LANDMARKS_RANDOM, 1, r, 1, 1, FREERIDGE_REDUCTION_AUTO,
                                                       &part));
  });
  passes(own, part);
  freeridge_kernel_destroy(kernel);
}

void dense(std::int64_t n, int engine, int count) {
  constexpr std::int64_t d = 5;
  std::vector<double> x(std::size_t(n * d)), y(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = number(std::int64_t(k));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(3 * x[i * d]) + 0.1 * number(-std::int64_t(i) - 1);
  const std::vector<double> tried = lambdas(count);
  std::vector<double> scores(static_cast<std::size_t>(count));
  freeridge_kernel* kernel = nullptr;
  require(freeridge_kernel_gaussian(0.7, &kernel));
  if (engine == 0) {
    freeridge_model* model = nullptr;
    require(freeridge_create(kernel, &model));
    require(freeridge_set_data(model, FREERIDGE_ROW_MAJOR, n, d, x.data(), d, 1, y.data(), 1));
    require(freeridge_set_parameter(model, FREERIDGE_ROUTE, FREERIDGE_ROUTE_BAND));
    timed("BAND", [&] { require(freeridge_factorize(model)); });
    timed("LOO",
          [&] { require(freeridge_score(model, FREERIDGE_LOO, count, tried.data(), scores.data(), nullptr, count)); });
    freeridge_destroy(model);
  } else {
    freeridge_mpi_dense* problem = nullptr;
    require(freeridge_mpi_dense_create(kernel, MPI_COMM_WORLD, FREERIDGE_ROW_MAJOR, n, d, x.data(), d, 1, y.data(), 1,
                                       nullptr, 1, &problem));
    timed("factorize", [&] { require(freeridge_mpi_dense_factorize(problem, engine, count)); });
    timed("LOO", [&] {
      require(freeridge_mpi_dense_score(problem, FREERIDGE_LOO, count, tried.data(), scores.data(), count));
    });
    freeridge_mpi_dense_destroy(problem);
  }
  if (rank() == 0) std::printf("LOO at lambda = %.3g: %.15g\n", tried[0], scores[0]);
  freeridge_kernel_destroy(kernel);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 4 && std::strcmp(argv[1], "rows") == 0)
    rows(std::atoll(argv[2]), std::atoll(argv[3]));
  else if (argc == 4 && std::strcmp(argv[1], "landmarks") == 0)
    landmarks(std::atoll(argv[2]), std::atoll(argv[3]));
  else if (argc == 5 && std::strcmp(argv[1], "dense") == 0)
    dense(std::atoll(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  else if (rank() == 0)
    std::printf("mpi_ranks rows N D | mpi_ranks landmarks N R | mpi_ranks dense N ENGINE LAMBDAS\n");
  MPI_Finalize();
  return 0;
}
