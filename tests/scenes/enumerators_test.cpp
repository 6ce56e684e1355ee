// tests/scenes/enumerators_test.cpp: the compiler counts enumerators.
#include "scenes/host/enumerators.h"

#include <gtest/gtest.h>

#include "scenes/base/array.h"

namespace warpscope {
namespace {

enum class One { only };
enum class Narrow : std::uint8_t { first, second, third };

const char* name_of(Narrow value) { return named(value, {"first", "second", "third"}); }

TEST(Enumerators, AreCountedWhereverTheirEnumStands) {
  EXPECT_EQ(kEnumeratorCount<One>, 1);
  EXPECT_EQ(kEnumeratorCount<Narrow>, 3);
  EXPECT_EQ(kEnumeratorCount<ElementType>, static_cast<int>(ElementType::f64) + 1);
}

TEST(Enumerators, HaveOneNameEachAndAreFoundByIt) {
  EXPECT_STREQ(name_of(Narrow::third), "third");
  EXPECT_EQ(enumerator_of("second", Narrow::first, name_of), Narrow::second);
  EXPECT_EQ(enumerator_of("fourth", Narrow::first, name_of), Narrow::first);
}

}  // namespace
}  // namespace warpscope
