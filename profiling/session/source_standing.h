// profiling/session/source_standing.h: whether a figure is of today's source.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/base/texts/code_id.h"

// A figure of another source stays at its point, is shown as such, and takes part in no claim,
// verdict or goal.
//
//   SourceStandings standings(catalogue);             // kept by the window
//   if (standings.of(m).state == SourceState::changed) draw_hollow(m);

namespace warpscope {

enum class SourceState {
  same,        // today's source, comments and white space apart
  changed,     // measured with an earlier source
  unrecorded,  // the session was recorded before sources were
  unknown,     // today's cannot be told: the variant is gone, a library is not loaded here
};
const char* to_text(SourceState state);  // "earlier source"

struct SourceStanding {
  SourceState state = SourceState::unrecorded;
  std::string sentence;  // "measured with an earlier source: 3f… then, a1… now"
};

class SourceStandings {
 public:
  // Scenes and texts are those of the catalogue, which must outlive it.
  explicit SourceStandings(const Catalogue& catalogue);
  // Texts are read from elsewhere.
  SourceStandings(const Catalogue& catalogue, SourceLookup texts)
      : catalogue_(catalogue), read_(std::move(texts)) {}
  // What an engine said of the libraries it has; until then calls of libraries are unknown.
  void hear(const Hello& hello);

  // The code_id of this variant at this workload as the files stand now; no value if it cannot be
  // told. A file is read again after a quarter of a second, once for all points that are of it, and
  // hashed again if it has changed: panels may ask for every point in every frame.
  std::optional<std::string> current_code_id(const Scene& scene, const Variant& variant,
                                             const Workload& workload);
  SourceStanding of(const Measurement& m);

 private:
  // A file and what it includes.
  struct Texts {
    Result<std::vector<KernelSource>> read;
    std::chrono::steady_clock::time_point at;
    std::uint64_t changes = 0;
  };
  struct Known {
    std::optional<std::string> id;
    // What it was made of: a scene that was edited has other variants.
    const Variant* variant = nullptr;
    Facts facts;
    std::map<std::string, std::uint64_t> changes;  // of the files, by path
  };
  // `place` names scene, variant and configuration.
  std::optional<std::string> id_at(const std::string& place, const Variant& variant,
                                   const Configuration& axes, const Facts& facts);
  const Texts& texts_of(const std::string& path);
  bool holds(const Known& known);

  const Catalogue& catalogue_;
  SourceLookup read_;
  std::map<std::string, Texts> texts_;                        // by path
  std::map<std::string, std::string, std::less<>> versions_;  // of libraries
  std::unordered_map<std::string, Known> known_;              // by place
};

// The points of a session that are of an earlier source or of one that is not recorded, in its
// order.
struct SourceFinding {
  const Measurement* point = nullptr;
  SourceStanding standing;
};
std::vector<SourceFinding> earlier_sources(const Session& session);

}  // namespace warpscope
