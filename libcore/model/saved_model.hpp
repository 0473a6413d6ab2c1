// Saved models. The payload of a model; a word in [] says when the lines below it are there:
//     kernel      its text (kernel/kernel_text.hpp)
//     settings    the intercept (0 none, 1 free, 2 penalised), route, landmark method, seed, reduction, refinement steps, expected lambdas, expected
//                 criterion; enums by their numbers in freeridge.h
//     state       0 EMPTY, 1 DATA, 2 FACTORIZED, 3 FITTED
//     [DATA or later]
//       n, d, t; the layouts of x and y (1 column by column, 2 row by row; x: 3 CSR, 4 CSC, from version 3 on)
//       x (n d numbers; sparse: the starts of its lines, the places and the values of its entries), y (n t)
//       weighted 0/1; [weighted] n weights
//       the number of divisions into groups; n labels for each of them, -1 for rows in no group
//       from version 5 on: q, and F (n x q)
//       landmarks asked for; how many of them are given (all or 0); [given] their rows
//     [FACTORIZED or later]
//       the route; the factorization, as routes/saved_route.hpp says
//     [FITTED]
//       lambda (t), refined 0/1, b (t); linear kernels: the levels (t); fixed effects (q x t); linear kernels: w (d x t), others: c (n x t), column by column
//     searched 0/1
//     [searched]
//       criterion, how many lambdas; lambdas; scores (lambdas x t); best, best score, standard error, decades (t each);
//       edge, dips (t each)
// The payload of a predictor: prediction.hpp.
// Whatever follows from the data alone (means, centred outputs, the x of the landmarks) is not saved, but computed
// again in the same way.
#pragma once

#include "libcore/model/model.hpp"

namespace freeridge {

struct Loaded {
  Model model;  // of a predictor: EMPTY, with its kernel
  std::shared_ptr<const Predictor> predictor;
};

// Throws CORRUPT, NEWER_FORMAT, IO, OUT_OF_MEMORY. Memory: that of the loaded model. No array is allocated before the
// file is known to have the bytes that fill it.
Loaded load(const ByteSource& source);

}  // namespace freeridge
