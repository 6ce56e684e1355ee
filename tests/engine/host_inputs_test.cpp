// tests/engine/host_inputs_test.cpp: inputs made before the device is needed are those of the
// configuration, and say what the device lacks.
#include "profiling/engine/run/host_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/catalogue.h"

namespace warpscope {
namespace {

const Scene& csrmm() { return *built_in_catalogue().find("csrmm").value(); }

Configuration small(const std::map<std::string, std::string>& changes) {
  std::map<std::string, std::string> texts = {{"m", "64"}, {"k", "48"}, {"p", "0.1"}};
  for (const auto& [name, text] : changes) texts[name] = text;
  return *with_values(csrmm().axes, default_configuration(csrmm().axes), texts);
}

void expect_same(HostInputs& a, HostInputs& b) {
  ASSERT_EQ(a.arrays().size(), b.arrays().size());
  for (const auto& [name, array] : a.arrays()) {
    const auto other = b.arrays().at(name).bytes();
    EXPECT_TRUE(std::equal(array.bytes().begin(), array.bytes().end(), other.begin(), other.end()))
        << name;
  }
  EXPECT_EQ(a.facts(), b.facts());
}

TEST(HostInputs, AreThoseOfTheConfigurationWhateverWasMadeBefore) {
  HostInputs moved, fresh;
  ASSERT_TRUE(moved.make(csrmm(), small({{"n", "8"}})));
  ASSERT_TRUE(moved.make(csrmm(), small({{"p", "0.3"}, {"n", "16"}})));
  ASSERT_TRUE(moved.make(csrmm(), small({{"n", "16"}})));
  EXPECT_TRUE(moved.are_of(csrmm(), small({{"n", "16"}})));
  EXPECT_FALSE(moved.are_of(csrmm(), small({{"n", "8"}})));
  ASSERT_TRUE(fresh.make(csrmm(), small({{"n", "16"}})));
  expect_same(moved, fresh);
}

TEST(HostInputs, KeepWhatWasMadeUntilItIsTaken) {
  HostInputs inputs;
  ASSERT_TRUE(inputs.make(csrmm(), small({{"n", "8"}})));
  const std::set<std::string> all = inputs.take_made();
  EXPECT_FALSE(all.empty());
  EXPECT_TRUE(inputs.take_made().empty());
  // A job that was prepared and never ran: what it changed differs from the device still.
  ASSERT_TRUE(inputs.make(csrmm(), small({{"n", "16"}})));
  const std::set<std::string> of_n = [] {
    HostInputs other;
    static_cast<void>(other.make(csrmm(), small({{"n", "8"}})));
    static_cast<void>(other.take_made());
    static_cast<void>(other.make(csrmm(), small({{"n", "16"}})));
    return other.take_made();
  }();
  EXPECT_FALSE(of_n.empty());
  EXPECT_LT(of_n.size(), all.size()) << "the matrix is the same";
  ASSERT_TRUE(inputs.make(csrmm(), small({{"n", "8"}})));
  EXPECT_EQ(inputs.take_made(), of_n);
}

TEST(HostInputs, BeginAnewForAnotherScene) {
  HostInputs inputs, fresh;
  const Scene& other = *built_in_catalogue().find("patterns").value();
  Configuration axes = default_configuration(other.axes);
  ASSERT_TRUE(inputs.make(csrmm(), small({})));
  ASSERT_TRUE(inputs.make(other, axes));
  ASSERT_TRUE(fresh.make(other, axes));
  expect_same(inputs, fresh);
  EXPECT_EQ(inputs.take_made(), fresh.take_made());
}

}  // namespace
}  // namespace warpscope
