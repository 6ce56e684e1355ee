// scenes/base/hard_case.cpp: sizes and inputs at which a kernel that is nearly right is wrong.
#include "scenes/base/hard_case.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "scenes/base/half.h"

namespace warpscope {
namespace {

Result<Configuration> typed(const Scene& scene, const std::map<std::string, std::string>& values) {
  Result<Configuration> axes = with_values(scene.axes, default_configuration(scene.axes), values);
  if (axes && scene.settle) axes = scene.settle(*axes);
  if (!axes) return axes;
  if (Result<void> admitted = scene.admit(*axes); !admitted)
    return tl::unexpected(admitted.error());
  return axes;
}

// The case's values, with the one further choice that the variant needs, if any. Returns no value
// if the case has decided against that choice.
std::optional<std::map<std::string, std::string>> values_for(const Scene& scene,
                                                             const HardCase& hard,
                                                             const Variant& variant,
                                                             const Configuration& axes) {
  std::map<std::string, std::string> values = hard.values;
  if (applies(variant, axes)) return values;
  const auto elsewhere = where_applies(scene, variant, axes);
  if (!elsewhere) return std::nullopt;
  for (const auto& [name, value] : elsewhere->values()) {
    if (axes.has(name) && value == axes.at(name)) continue;
    if (values.count(name) != 0) return std::nullopt;
    values[name] = to_text(value);
  }
  if (!typed(scene, values)) return std::nullopt;  // too small, or not whole, for that choice
  return values;
}

bool takes_part(const HardCase& hard, const Variant& variant) {
  if (hard.left_out.count(variant.name) != 0) return false;
  return hard.variants.empty() ||
         std::find(hard.variants.begin(), hard.variants.end(), variant.name) != hard.variants.end();
}

template <typename T>
void store(HostArray& array, std::int64_t element, T value) {
  const auto bytes = static_cast<std::int64_t>(sizeof value);
  std::memcpy(array.part(element * bytes, bytes).data(), &value, sizeof value);
}

}  // namespace

std::vector<HardCase> hard_cases_of(const Scene& scene) {
  return scene.hard_cases ? scene.hard_cases() : std::vector<HardCase>{};
}

Result<HardCase> find_hard_case(const Scene& scene, const std::string& name) {
  std::string names;
  for (HardCase& hard : hard_cases_of(scene)) {
    if (hard.name == name) return std::move(hard);
    names += (names.empty() ? "" : ", ") + hard.name;
  }
  return failure(ErrorKind::usage, "the scene has no hard case of this name", name,
                 names.empty() ? "it has none" : "choose among " + names);
}

Result<std::vector<HardRun>> hard_runs(const Scene& scene, const std::vector<HardCase>& cases,
                                       const std::vector<const Variant*>& variants) {
  std::vector<HardRun> runs;
  for (const HardCase& hard : cases) {
    const Result<Configuration> axes = typed(scene, hard.values);
    if (!axes) return tl::unexpected(axes.error());
    std::vector<std::string> named = hard.variants;
    for (const auto& [name, why] : hard.left_out) named.push_back(name);
    for (const auto& [name, other] : hard.same_bits_as) named.insert(named.end(), {name, other});
    for (const std::string& name : named) {
      if (find_variant(scene, name) == nullptr) {
        return failure(ErrorKind::usage, "the case is for a variant that does not exist: " + name,
                       hard.name);
      }
    }
    const auto first = static_cast<std::ptrdiff_t>(runs.size());
    for (const Variant* variant : variants) {
      if (!takes_part(hard, *variant)) continue;
      if (auto values = values_for(scene, hard, *variant, *axes))
        runs.push_back({hard.name, variant, std::move(*values)});
    }
    std::stable_sort(runs.begin() + first, runs.end(),
                     [](const HardRun& a, const HardRun& b) { return a.axes < b.axes; });
  }
  return runs;
}

void poke(HostArray& array, std::int64_t element, double value) {
  if (element < 0 || element >= array.count()) throw std::out_of_range("no such element");
  const auto single = static_cast<float>(value);
  switch (array.type()) {
    case ElementType::f16:
      return store(array, element, to_f16(single));
    case ElementType::bf16:
      return store(array, element, to_bf16(single));
    case ElementType::f32:
      return store(array, element, single);
    case ElementType::f64:
      return store(array, element, value);
    case ElementType::u8:
      return store(array, element, static_cast<std::uint8_t>(value));
    case ElementType::i8:
      return store(array, element, static_cast<std::int8_t>(value));
    case ElementType::u16:
      return store(array, element, static_cast<std::uint16_t>(value));
    case ElementType::i32:
      return store(array, element, static_cast<std::int32_t>(value));
    case ElementType::u32:
      return store(array, element, static_cast<std::uint32_t>(value));
    case ElementType::i64:
      return store(array, element, static_cast<std::int64_t>(value));
  }
}

}  // namespace warpscope
