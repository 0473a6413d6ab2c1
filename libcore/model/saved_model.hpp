// Saved models. The payload of a model; [] says when what follows is there, and v5 and v6 from which version on:
//     kernel      its text (kernel/kernel_text.hpp)
//     settings    the intercept (0 none, 1 free, 2 penalised), route, landmark method, seed, reduction,
//                 refinement steps, expected lambdas, expected criterion; enums by their numbers in freeridge.h
//                 v6: whether values of y may be missing, 0/1
//     state       0 EMPTY, 1 DATA, 2 FACTORIZED, 3 FITTED
//     [DATA or later]
//       n, d, t; the layouts of x and y (1 column by column, 2 row by row; x: 3 CSR, 4 CSC, from version 3 on)
//       x (n d numbers; sparse: the starts of its lines, the places and the values of its entries), y (n t)
//       v6: whether values are missing, 0/1; [1] for each output how many, and their rows, ascending
//       weighted 0/1; [weighted] n weights
//       the number of divisions into groups; n labels for each of them, -1 for rows in no group
//       v6: [groups] the number of layers of gaps; n labels for each layer of each division, -1 for none
//       v5: q, and F (n x q)
//       landmarks asked for; how many of them are given (all or 0); [given] their rows
//     [FACTORIZED or later]
//       the route; the factorization, as routes/saved_route.hpp says
//     [FITTED]
//       lambda (t), refined 0/1, b (t); linear kernels: the levels (t); v5: fixed effects (q x t); linear kernels:
//       w (d x t), others: c (n x t), column by column; route ITERATIVE: the accuracies (t)
//     searched 0/1
//     [searched]
//       criterion, how many lambdas; lambdas; scores (lambdas x t); best, best score, standard error, decades (t each);
//       edge, dips (t each)
//     v6: the accuracy that was set for solutions of ITERATIVE
// The payload of a predictor: prediction.hpp.
// Numbers that follow from the data alone (means, centred outputs, the x of the landmarks) are not saved: loading
// computes them again in the same way.
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
