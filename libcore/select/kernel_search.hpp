// The search of a kernel's hyperparameters and lambda together, by gradients: the least f (kernel_objective.hpp) in a
// box (bounded_lbfgs.hpp), by REML, and from that minimum by another criterion where one is asked for. Stages:
//     multiple    one factor on all lengths, by search_bandwidth with LOO, on a few rows of the sample: the range of
//                 the factor is wide, and a factorization of few rows costs little
//     sample      REML on a part of the rows, from short lengths; where there are more rows than the sample has, REML
//                 on the sample, too, from the best factor and from the end on the part
//     blocks      where there are many rows, REML on all rows of the search in blocks of points that are near one
//                 another, each with a variance of its own (local_blocks.hpp): from the end of `sample`, and once more
//                 on blocks by the lengths found. Counted to `sample`
//     given       the criterion of the kernel that is given, on all rows of the search
//     likelihood  REML on all rows of the search, from the end of `sample` or `blocks`, whichever is lower there, or
//                 from the best factor and from the end on the part; with landmarks on some of these rows, as a problem
//                 without landmarks
//     criterion   the criterion, from the end of `likelihood`; with landmarks in any case, on all rows of the search
// For labels EVIDENCE takes the place of REML, from the first place alone, with the best of three lambdas. LOG_LOSS moves
// lambda and one factor on all lengths, and nothing else; where more than a quarter of the rows are copies of others, whose
// left-out values have their copies beside them, REML does that, which counts copies once.
//     smoothness  where that is wanted, by REML: from the end of `likelihood` the same lengths, but for one factor on
//                 all of them and lambda, with Matern 5/2 in the place of Matern 3/2; where that is lower, also by its
//                 sum with n t / 2 log(LOO), with the Gaussian kernel. With more rows than the sample has on the
//                 sample, and all rows have the last word. Counted to `sample` and `likelihood`. Lengths that are
//                 learnt anew for each kernel have a lower REML and no lower held-out errors (docs/defaults.md)
// REML comes first: it has fewer local minima than left-out errors, and its gradient costs half. Two kinds of places
// are searched from (bench/restarts.py). Where LOO is best is the first. REML there is often lowest at long lengths
// with little noise, where a wiggle in one column beside a strong slope in another is not seen; and a search cannot
// leave that place, as REML hardly changes with long lengths. From lengths of about a standard deviation each, with
// nearly all weight on additive kernels, it finds short lengths where there are any. (Without additive kernels from the
// same lengths, with much and with little noise.) A part of the rows tells at less cost where these other starts lead,
// if it is not too small: from 192 of 1000 rows of two columns and a factor they led to the first minimum, from 512 to
// a lower one. On all rows such a search ends after its first evaluations unless it is ahead of the first one. Of
// minima within 6 of the lowest, which the data hardly tell apart by REML, the one with the least REML + n t / 2
// log(LOO) is taken: such minima had held-out errors 15 % apart, on the side of LOO. Where the rows are few, lambda is
// searched once more at the end, over its whole range, and if that finds a value lower by more than 1e-3 n t, the
// search goes on from there: a search by slopes may have ended in the wrong one of two dips in lambda. The given kernel
// is kept where no kernel with a lower value of the criterion with its penalty is found. Sources: S. Sundararajan, S.
// Keerthi, Predictive approaches for choosing hyperparameters in Gaussian processes, Neural Computation 13 (2001); C.
// Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, chapter 5; S. Petit, J. Bect, P. Feliot, E.
// Vazquez, Model parameters in Gaussian process interpolation: an empirical study of selection criteria, SIAM/ASA J.
// Uncertainty Quantification 11 (2023).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "libcore/base/constants.hpp"
#include "libcore/select/bounded_lbfgs.hpp"
#include "libcore/select/kernel_objective.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge {

enum class KernelStage : std::int32_t { multiple = 1, sample = 2, given = 3, likelihood = 4, criterion = 5 };
constexpr Index kernel_stages = 5;

constexpr Index sample_of_kernel_search = 512;  // rows
constexpr Index few_of_kernel_search = 256;     // of the sample
constexpr Index usual_rows_of_kernel = 2000;    // on which a kernel is learnt
constexpr Index most_of_block = 512;            // rows
constexpr Index least_for_blocks = 1500;        // rows of a search
constexpr double weak_shrinkage = 1;            // a larger s makes the way to a minimum long
// On how many rows other starts begin, of so many rows of a search; 0: on all of them. Where the rows are not many more
// than the sample, on half of them; else on the sample, which then costs little beside the rows.
constexpr Index rows_for_starts(Index rows) {
  constexpr Index few = 128, most = 192, many = 3 * sample_of_kernel_search / 2;
  if (rows >= many) return sample_of_kernel_search;
  return rows > few ? std::clamp(std::min(rows, sample_of_kernel_search) / 2, few, most) : 0;
}
// The most evaluations, unless the caller says how many.
constexpr Index usual_evaluations(Index rows, double shrinkage) {
  return rows <= few_of_kernel_search ? 1000 : shrinkage > weak_shrinkage ? 200 : 100;
}

struct KernelTrial {
  KernelStage stage;
  double score;   // REML or the criterion, without the penalty; NaN: it has no value there
  double lambda;  // of the score
  // The largest entry of the projected gradient of what is minimised; NaN where lambda alone was searched.
  double gradient;
};

// Where a search ended: z, f there, and the last pairs of L-BFGS, which serve a search on nearly the same rows, too.
struct EndOfSearch {
  Array<double> z;
  double f = infinity;
  Array<LbfgsPair> known;
};

struct KernelSearch {
  Array<KernelTrial> trials;               // in the order in which they were made
  Array<SearchEnd> end;                    // of each stage
  Index rows = 0, sample = 0, learnt = 0;  // learnt: how many variables beside lambda
  Array<Index> learnt_on;                  // the rows of the model, ascending, `rows` of them
  Array<Index> variable;                   // of each hyperparameter: its variable, or -1: held
  Array<double> low, high;                 // of each hyperparameter; where it is held, its value
  Array<std::int32_t> at;                  // -1, +1 where it ended at the low, high bound, else 0
  std::int32_t lambda_at = 0;              // the same of lambda
  bool kept = false;                       // nothing better than the given kernel was found
  std::shared_ptr<const KernelObjective> objective;
  Array<EndOfSearch> ends;  // the first is that of the kernel; others of REML, on all rows, up to 6 above the lowest
  Array<double> low_z, high_z;  // the box
  Array<double> chosen_z;       // by LOG_LOSS from the end of EVIDENCE; else without numbers
  // Of a smoother kernel that was chosen in the place of the one that was searched; NULL, and no z: that one stays.
  std::shared_ptr<const KernelObjective> smoother;
  Array<double> smoother_z;
  KernelPtr kernel;
  double spread = 0;  // of the kernel (kernel_size.hpp)
  double lambda = 0;
  double score = 0;  // the criterion on all rows of the model (EVIDENCE: of the search), one number for all outputs
};

struct LambdaOfSample {
  double low;            // where rounding begins
  double lambda, score;  // the best
};
struct SearchedRows {
  RowsOfSearch sample, likelihood, all;
  RowsOfSearch part;   // for other starts (rows_for_starts); without rows where these begin on all rows
  bool apart = false;  // whether `likelihood` and `all` differ
  // `likelihood` in blocks by the lengths of a kernel; empty: not wanted.
  std::function<RowsOfSearch(const KernelPtr&)> blocks;
  // Called once before `all` is asked for anything, with the kernel that was found so far. Empty: not wanted.
  std::function<void(const KernelPtr&)> prepare;
  std::function<LambdaOfSample(const KernelPtr&, Criterion)> lambda;  // on all rows; empty: they are too many
  Index few = 0;                                                      // rows of the sample, for the first stage
  std::function<LambdaOfSample(const KernelPtr&, Criterion)> lambda_of_few;
};

// Throws INVALID_ARGUMENT for GCV with more than one variable and for ERROR_RATE.
void require_learnable(Criterion criterion, Index variables);

KernelSearch search_kernel(const std::shared_ptr<const KernelObjective>& objective, const SearchedRows& rows);

// The same search on most of its rows: from all its ends, with so many evaluations each. The lowest f is taken, but an
// end that was lower on all rows and was not taken has to be lower still on these rows. A smoother kernel that was
// chosen stays chosen. No kernel where f has no value.
struct KernelAndLambda {
  KernelPtr kernel;
  double lambda = 0;
};
KernelAndLambda search_again(const KernelSearch& search, const RowsOfSearch& rows, Index evaluations);

}  // namespace freeridge
