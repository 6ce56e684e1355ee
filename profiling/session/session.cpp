// profiling/session/session.cpp: the store of messages.
#include "profiling/session/session.h"

#include <type_traits>
#include <utility>

#include "scenes/catalogue.h"

namespace warpscope {

void Session::apply(const Message& message) {
  if (const auto* m = std::get_if<Measurement>(&message); m != nullptr && !m->partial) {
    Measurement point = *m;
    point.catalogue = catalogue_;
    stores_.history.keep(std::move(point));
  }
  take(message);
}

void Session::take(Message message) {
  ++revision_;
  std::visit(
      [this](auto& m) {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, Measurement>) {
          m.catalogue = catalogue_;
          stores_.points.keep(std::move(m), revision_);
        } else if constexpr (std::is_same_v<M, NamedBaseline>) {
          m.point.catalogue = catalogue_;
          stores_.outcomes.keep(m);
        } else if constexpr (std::is_same_v<M, Timeline>) {
          stores_.timelines.keep(std::move(m), revision_);
        } else if constexpr (std::is_same_v<M, Trace>) {
          stores_.traces.keep(std::move(m), stores_.engines.emulators());
        } else if constexpr (requires { stores_.engines.keep(std::move(m)); }) {
          stores_.engines.keep(std::move(m));
        } else if constexpr (requires { stores_.jobs.keep(std::move(m)); }) {
          stores_.jobs.keep(std::move(m));
        } else if constexpr (requires { stores_.outcomes.keep(m); }) {
          stores_.outcomes.keep(m);
        }
      },
      message);
}

std::vector<const Measurement*> Session::points(const std::string& scene,
                                                const std::string& variant,
                                                std::optional<std::string_view> device) const {
  std::vector<const Measurement*> found = stores_.points.of(scene, variant);
  if (device) {
    std::erase_if(found, [&device](const Measurement* point) {
      // As DeviceName::id, without a copy of either: this is asked of all points.
      const Conditions& of = point->conditions;
      return (of.device_uuid.empty() ? of.device : of.device_uuid) != *device;
    });
  }
  return found;
}

const RoofSet* Session::roofs() const {
  return roof_sets().empty() ? nullptr : &roof_sets().back();
}

void Session::keep_device(std::string_view device) {
  stores_.keep_device(device);
  ++revision_;
}

}  // namespace warpscope
