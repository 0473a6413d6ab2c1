// Loops on several threads and the one setting for core and BLAS, asked of the core directly: freeridge.h shows only
// their answers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/threads.hpp"
#include "support/random.hpp"

namespace loops_test {

using namespace freeridge;

// How many threads the process has.
int threads_alive() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    count += entry.is_directory() ? 1 : 0;
  return count;
}

// The number that the BLAS, or OpenMP, has on this thread; `otherwise` where it has none.
int blas_threads(int otherwise) {
  return blas_control().get != nullptr ? blas_control().get() : otherwise;
}
int openmp_threads(int otherwise) {
  return blas_control().get_openmp != nullptr ? blas_control().get_openmp() : otherwise;
}

class Loops : public ::testing::Test {
 protected:
  ~Loops() override { set_thread_count(0); }
};

TEST_F(Loops, TeamsHaveAsManyAsThereAreThreadsItemsAndWork) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  EXPECT_EQ(team_size(10), 3);
  EXPECT_EQ(team_size(2), 2);
  EXPECT_EQ(team_size(0), 1);
  EXPECT_EQ(team_size(10, 0), 1);
  EXPECT_EQ(team_size(10, 1.9 * work_for_a_thread), 1);
  EXPECT_EQ(team_size(10, 2.1 * work_for_a_thread), 2);
  EXPECT_EQ(team_size(10, 1e12), 3);
  set_thread_count(1);
  EXPECT_EQ(team_size(10), 1);
}

TEST_F(Loops, EveryItemOnce) {
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    for (const Index count : {0, 1, 2, 3, 5, 1000}) {
      const auto size = static_cast<std::size_t>(count);
      std::vector<std::atomic<int>> plain(size), shares(size), made(size), used(size);
      parallel_for(count, [&](Index i) { ++plain[static_cast<std::size_t>(i)]; });
      const int team = team_size(count);
      parallel_shares(count, team, [&](Index i, int) { ++shares[static_cast<std::size_t>(i)]; });
      parallel_in_order(
          count, team, [&](Index i, int) { ++made[static_cast<std::size_t>(i)]; },
          [&](Index i, int) { ++used[static_cast<std::size_t>(i)]; });
      for (const auto* times : {&plain, &shares, &made, &used})
        for (const std::atomic<int>& once : *times) EXPECT_EQ(once, 1) << threads << " threads, " << count;
    }
  }
}

TEST_F(Loops, LittleWorkAndInnerLoopsStayOnTheirThread) {
  set_thread_count(4);
  const auto caller = std::this_thread::get_id();
  parallel_for(
      100, [&](Index) { EXPECT_EQ(std::this_thread::get_id(), caller); }, 1e4);
  std::atomic<int> elsewhere = 0;
  parallel_for(8, [&](Index) {
    const auto outer = std::this_thread::get_id();
    elsewhere += outer != caller ? 1 : 0;
    EXPECT_EQ(thread_count(), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    parallel_for(3, [&](Index) { EXPECT_EQ(std::this_thread::get_id(), outer); });
  });
  EXPECT_GT(elsewhere, 0);
}

TEST_F(Loops, SharesAreConsecutiveAndFixed) {
  for (const int team : {1, 2, 3, 7})
    for (const Index count : {Index{7}, Index{8}, Index{100}}) {
      std::vector<std::vector<Index>> had(static_cast<std::size_t>(team));
      parallel_shares(count, team, [&](Index i, int worker) { had[static_cast<std::size_t>(worker)].push_back(i); });
      Index next = 0;
      for (int worker = 0; worker < team; ++worker) {
        for (const Index i : had[static_cast<std::size_t>(worker)]) EXPECT_EQ(i, next++);
        EXPECT_EQ(next, count * (worker + 1) / team);
      }
    }
}

// A sum whose value depends on its order, and matrix products whose bits depend on the threads of the BLAS.
TEST_F(Loops, SumsInOrderHaveTheSameBitsForEveryTeam) {
  constexpr Index count = 60, size = 90;
  support::Random random(5);
  const support::Matrix x = random.uniform_matrix(size, size * count, -1, 1);
  std::vector<std::vector<double>> sums;
  for (const int team : {1, 2, 3, 5}) {
    set_thread_count(team);
    std::vector<Matrix> parts;
    for (int worker = 0; worker < team; ++worker) parts.emplace_back(size, size);
    std::vector<double> sum(size * size, 0.0);
    std::atomic<int> inside = 0;
    Index next = 0;
    parallel_in_order(
        count, team,
        [&](Index i, int worker) {
          const ConstMatrixView tile{x.values.data() + i * size * size, size, size, size};
          gemm(Op::transpose, Op::none, std::pow(10.0, static_cast<double>(i % 9)), tile, tile, 0,
               parts[static_cast<std::size_t>(worker)].view());
        },
        [&](Index i, int worker) {
          EXPECT_EQ(++inside, 1);
          EXPECT_EQ(i, next++);
          const auto part = parts[static_cast<std::size_t>(worker)].values();
          for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += part[k];
          --inside;
        });
    sums.push_back(sum);
  }
  for (const std::vector<double>& sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST_F(Loops, TheFirstExceptionEndsTheLoop) {
  set_thread_count(3);
  const auto thrown = [](const std::function<void()>& loop) -> std::string {
    try {
      loop();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  };
  constexpr Index count = 100000;
  std::atomic<Index> started = 0;
  const auto body = [&](Index i) {
    ++started;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (i % 50 == 7) throw std::runtime_error("item");
  };
  const auto nothing = [](Index, int) {};
  EXPECT_EQ(thrown([&] { parallel_for(count, body); }), "item");
  EXPECT_EQ(thrown([&] { parallel_shares(count, 3, [&](Index i, int) { body(i); }); }), "item");
  EXPECT_EQ(thrown([&] {
              parallel_in_order(
                  count, 3, [&](Index i, int) { body(i); }, nothing);
            }),
            "item");
  EXPECT_EQ(thrown([&] { parallel_in_order(count, 3, nothing, [&](Index i, int) { body(i); }); }), "item");
  EXPECT_LT(started, 4000);
  EXPECT_EQ(thread_count(), 3);  // all is put back
}

TEST_F(Loops, ProgressIsHeardOnTheCallingThreadAndCancels) {
  struct Heard {
    std::thread::id caller = std::this_thread::get_id();
    double last = 0;
    bool cancel = false;
  };
  const auto hear = [](double fraction, void* user) -> std::int32_t {
    Heard& heard = *static_cast<Heard*>(user);
    EXPECT_EQ(std::this_thread::get_id(), heard.caller);
    EXPECT_GE(fraction, heard.last);
    heard.last = fraction;
    return heard.cancel && fraction > 0.1 ? 1 : 0;
  };
  const auto nothing = [](Index, int) {};
  const auto rest = [](Index, int) { std::this_thread::sleep_for(std::chrono::microseconds(10)); };
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    const std::vector<std::function<void()>> loops = {[&] { parallel_for(500, [&](Index i) { rest(i, 0); }); },
                                                      [&] { parallel_shares(500, threads, rest); },
                                                      [&] { parallel_in_order(500, threads, rest, nothing); }};
    const auto run = [&](const auto& loop, Heard& heard) {
      const Hearing hearing(Listener{hear, &heard});
      loop();
    };
    for (const auto& loop : loops) {
      Heard heard;
      run(loop, heard);
      EXPECT_EQ(heard.last, 1);
      Heard other;
      other.cancel = true;
      EXPECT_THROW(run(loop, other), Error);
    }
  }
}

// With a team of each BLAS call the process would have team * (threads of the BLAS) threads.
TEST_F(Loops, NoMoreThreadsThanTheSettingAndNoneLeft) {
  constexpr Index size = 400;
  support::Random random(6);
  const support::Matrix x = random.uniform_matrix(size, size, -1, 1);
  const ConstMatrixView view{x.values.data(), size, size, size};
  constexpr int threads = 3;
  set_thread_count(threads);
  {
    Matrix out(size, size);  // the BLAS has its own threads from here on, if it keeps any
    gemm(Op::none, Op::none, 1, view, view, 0, out.view());
  }
  const int before = threads_alive();
  std::atomic<int> most = 0;
  parallel_for(12, [&](Index) {
    EXPECT_EQ(blas_threads(1), 1);
    EXPECT_EQ(openmp_threads(1), 1);
    Matrix out(size, size);
    gemm(Op::none, Op::none, 1, view, view, 0, out.view());
    int seen = most, now = threads_alive();
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  });
  EXPECT_LE(most, before + threads - 1);
  EXPECT_GE(most, before);
  EXPECT_EQ(threads_alive(), before);
  EXPECT_EQ(blas_threads(threads), threads);
}

TEST_F(Loops, TheSettingIsThatOfTheBlasAndGoesBack) {
  const int before = thread_count();
  const int blas_before = blas_threads(before);
  EXPECT_TRUE(blas_before == before || blas_before == -1) << blas_before;  // BLIS says -1 when it was told nothing
  for (const int count : {2, 1, 3}) {
    set_thread_count(count);
    EXPECT_EQ(thread_count(), count);
    EXPECT_EQ(blas_threads(count), count);
  }
  {
    const SingleThreadedBlas single;
    EXPECT_EQ(thread_count(), 1);
    EXPECT_EQ(blas_threads(1), 1);
    set_thread_count(2);  // holds from the end of `single` on
    EXPECT_EQ(blas_threads(1), 1);
    std::thread([] { EXPECT_EQ(thread_count(), 2); }).join();
  }
  EXPECT_EQ(thread_count(), 2);
  set_thread_count(0);
  EXPECT_EQ(thread_count(), before);
  EXPECT_EQ(blas_threads(before), blas_before);
}

TEST_F(Loops, SingleThreadedBlasMayOverlap) {
  set_thread_count(2);
  auto first = std::make_unique<SingleThreadedBlas>();
  std::atomic<int> stage = 0;
  std::thread other([&] {
    const SingleThreadedBlas second;
    stage = 1;
    while (stage < 2) std::this_thread::yield();
    EXPECT_EQ(blas_threads(1), 1);
  });
  while (stage < 1) std::this_thread::yield();
  first.reset();
  EXPECT_EQ(thread_count(), 2);
  stage = 2;
  other.join();
  EXPECT_EQ(blas_threads(2), 2);
}

// A BLAS that counts for each thread takes the setting over when it is told to.
TEST_F(Loops, OtherThreadsTakeTheSettingOver) {
  for (const int count : {1, 2}) {
    set_thread_count(count);
    std::thread([&] {
      EXPECT_EQ(thread_count(), count);
      adopt_thread_count();
      EXPECT_EQ(blas_threads(count), count);
    }).join();
  }
}

TEST(BlasAdvice, IsGivenWhenTheKernelsAreOlderThanTheProcessor) {
  const auto has = [](const std::string& sentence, const char* words) {
    return sentence.find(words) != std::string::npos;
  };
  for (const char* core : {"Haswell", "Zen", "Sandybridge", "Prescott"}) {
    const std::string sentence = blas_advice(core, true, Vectors::avx512);
    EXPECT_TRUE(has(sentence, core)) << sentence;
    EXPECT_TRUE(has(sentence, "AVX-512")) << sentence;
    EXPECT_TRUE(has(sentence, "OPENBLAS_CORETYPE=SkylakeX")) << sentence;
    EXPECT_TRUE(has(sentence, "before")) << sentence;
    const std::string fixed = blas_advice(core, false, Vectors::avx512);
    EXPECT_FALSE(has(fixed, "CORETYPE")) << fixed;
    EXPECT_TRUE(has(fixed, "DYNAMIC_ARCH")) << fixed;
  }
  EXPECT_TRUE(has(blas_advice("Nehalem", true, Vectors::avx2), "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(has(blas_advice("Haswell", true, Vectors::avx512), "up to twice as fast"));
  EXPECT_TRUE(has(blas_advice("Prescott", true, Vectors::avx512), "several times as fast"));
  for (const char* core : {"SkylakeX", "Cooperlake", "Sapphirerapids"})
    for (const Vectors processor : {Vectors::older, Vectors::avx2, Vectors::avx512})
      EXPECT_EQ(blas_advice(core, true, processor), "");
  EXPECT_EQ(blas_advice("Haswell", true, Vectors::avx2), "");
  EXPECT_EQ(blas_advice("Nehalem", true, Vectors::older), "");
  for (const char* core : {"", "POWER9", "NEOVERSEN1", "Haswell"})
    EXPECT_EQ(blas_advice(core, true, Vectors::unknown), "");
  EXPECT_EQ(blas_advice("of tomorrow", true, Vectors::avx512), "");
}

}  // namespace loops_test
