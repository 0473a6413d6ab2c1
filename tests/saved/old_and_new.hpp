// A file that one model was saved to, and another model to be saved over it: afterwards there is the one or the other.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "capi/support/sample.hpp"
#include "support/saved.hpp"

class OldAndNew : public testing::Test {
 protected:
  const support::Directory directory;
  const std::string path = directory / "model";
  const Model old = sample::model(sample::State::data), model = sample::model(sample::State::fitted);
  const support::Bytes of_old = support::saved(old.get()), of_model = support::saved(model.get());

  freeridge_status save() const { return freeridge_save(model.get(), FREERIDGE_SAVE_MODEL, path.c_str()); }
  void put_old() const {
    ASSERT_EQ(freeridge_save(old.get(), FREERIDGE_SAVE_MODEL, path.c_str()), FREERIDGE_OK) << freeridge_last_error();
  }
};
