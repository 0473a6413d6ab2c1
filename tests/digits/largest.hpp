// A fixture that keeps the largest of each ratio, with where it was met, prints them, and fails where one is not below
// its limit. A NaN is larger than everything.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>

#include "support/matrix.hpp"

namespace digits {

class Ratios : public ::testing::Test {
 protected:
  static constexpr double limit = 30, svd_limit = 50;  // LAPACK's: TESTING/dtest.in, svd.in

  // Where the ratios that follow belong to.
  void family(std::string name, double most = limit) {
    family_ = std::move(name);
    limit_ = most;
  }
  void at(std::string place) { place_ = std::move(place); }

  void note(const std::string& ratio, support::Real value) {
    Entry& entry = largest_[family_ + ", " + ratio];
    ++entry.count;
    entry.limit = limit_;
    const double number = std::isnan(value) ? std::numeric_limits<double>::infinity() : static_cast<double>(value);
    if (number < entry.value) return;
    entry.value = number;
    entry.place = place_;
  }
  // What has to hold beside the ratios.
  void expect(bool holds, const std::string& what) {
    if (!holds && ++complaints_ <= 10) ADD_FAILURE() << family_ << ": " << what << " at " << place_;
    if (complaints_ > 10) ADD_FAILURE() << "and more of that kind";
  }

  void TearDown() override {
    EXPECT_FALSE(largest_.empty());
    for (const auto& [name, entry] : largest_) {
      std::printf("ratio %-60s %9.3g < %2.0f  (%ld; %s)\n", name.c_str(), entry.value, entry.limit, entry.count,
                  entry.place.c_str());
      EXPECT_LT(entry.value, entry.limit) << name << " at " << entry.place;
    }
  }

 private:
  struct Entry {
    double value = -1, limit = 0;
    long count = 0;
    std::string place;
  };
  std::map<std::string, Entry> largest_;
  std::string family_, place_;
  double limit_ = limit;
  long complaints_ = 0;
};

}  // namespace digits
