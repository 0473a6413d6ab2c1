// Groups left out in a ridge problem of p features (feature_rows.hpp): for the rows S of a group, with
// A = [Psi_S, q1_S],
//     P~_SS = I - A A',    e = (P~_SS)^-1 r_S,    v = (P~_SS)^-1 D e,    D: 1 for rows that are scored, 0 in a gap
//     few rows    P~_SS as it stands, s^2 p + s^3 / 3
//     many        (P~_SS)^-1 = I + A (I - A'A)^-1 A',  s p^2 + p^3 / 3
//     I - A A' or I - A'A near singular, or fewer rows O stay than there are unknowns: the problem of O by QR, where
//     nothing is subtracted,  2 (n - s + p) p^2
// and for derivatives epsilon = Psi_S'e, nu = Psi_S'v, p x t.
// Source of the derivatives: point_gradient.hpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/select/feature_rows.hpp"
#include "libcore/select/groups.hpp"

namespace freeridge {

struct LeftOutGroup {
  RowTile tile;        // its rows and those of its gap; r and d as they are with the group
  Matrix e, v;         // s x t
  Matrix epsilon, nu;  // p x t
};

// Throws UNDEFINED where the rows that stay do not determine the predictions.
void leave_out(const FeatureRows& rows, const Group& group, double lambda, LeftOutGroup& out);

// The doubles that leave_out takes for a group of so many rows.
Index leave_out_doubles(Index rows, Index p, Index d, Index t);

}  // namespace freeridge
