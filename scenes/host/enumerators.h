// scenes/host/enumerators.h: how many enumerators an enum has, counted by the compiler.
#pragma once

#include <cstddef>
#include <string_view>

// For enums whose enumerators follow one another from 0 on. What is said once for each of them
// fails to compile where one is forgotten:
//
//   enum class Space { global, shared };
//   static_assert(kEnumeratorCount<Space> == 2);
//   const char* to_text(Space space) { return named(space, {"global", "shared"}); }

namespace warpscope {

// GCC and Clang write a value that has a name by it, "Space::shared", and any other as a cast of a
// number, "(Space)2". Clang's name of a namespace without one has brackets too.
template <auto value>
constexpr bool is_enumerator() {
  constexpr std::string_view kStart = "value = ";
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.rfind(kStart) + kStart.size());
  const std::size_t bracket = text.rfind(')');
  return bracket == std::string_view::npos || text[bracket + 1] == ':';
}

template <typename Enum, int first = 0>
constexpr int count_enumerators() {
  if constexpr (is_enumerator<static_cast<Enum>(first)>()) {
    return count_enumerators<Enum, first + 1>();
  } else {
    return first;
  }
}

template <typename Enum>
inline constexpr int kEnumeratorCount = count_enumerators<Enum>();

// The name at the enumerator's place in a list that has one for each.
template <typename Enum, std::size_t count>
constexpr const char* named(Enum value, const char* const (&names)[count]) {
  static_assert(count == kEnumeratorCount<Enum>, "each enumerator has one name");
  return names[static_cast<std::size_t>(value)];
}

// The enumerator that `to_text` calls `name`; `other` where there is none of that name.
template <typename Enum>
Enum enumerator_of(std::string_view name, Enum other, const char* (*name_of)(Enum)) {
  for (int i = 0; i < kEnumeratorCount<Enum>; ++i) {
    if (name == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  return other;
}

}  // namespace warpscope
