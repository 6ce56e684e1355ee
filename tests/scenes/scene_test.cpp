// tests/scenes/scene_test.cpp: every scene makes the inputs that it declares.
#include "scenes/base/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <span>

#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

// By memcmp: tests are compiled without optimisation, and arrays have megabytes.
bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// The engine uploads the arrays a group declares and no others.
TEST(EveryScene, GroupsMakeTheArraysTheyDeclareAndNoOthers) {
  for (const Scene& scene : tested_scenes()) {
    Inputs inputs;
    Facts facts;
    const Configuration axes = with_defaults(scene.axes, {});
    std::set<std::string> declared;
    for (const InputGroup& group : scene.input_groups) {
      const Inputs before = inputs;
      declared.insert(group.arrays.begin(), group.arrays.end());
      if (!group.generate) continue;  // its arrays are functions of an element's index
      ASSERT_TRUE(group.generate(axes, inputs, facts)) << scene.name << "/" << group.name;
      for (const auto& [name, array] : inputs) {
        const auto old = before.find(name);
        const bool touched = old == before.end() || !same_bytes(old->second.bytes(), array.bytes());
        if (!touched) continue;
        EXPECT_NE(std::find(group.arrays.begin(), group.arrays.end(), name), group.arrays.end())
            << scene.name << "/" << group.name << " makes " << name;
      }
    }
    for (const BufferSpec& buffer : scene.buffers({axes, facts})) {
      if (buffer.role != BufferRole::input) continue;
      EXPECT_TRUE(declared.count(buffer.name)) << scene.name << ": nobody makes " << buffer.name;
    }
  }
}

}  // namespace
}  // namespace warpscope
