// workbench/workspace/selection/selection_history.h: what was chosen before, for undo and redo.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "workbench/workspace/selection/selection.h"

// The history sees the selection once per update and remembers what it was before each change.
// `undo` and `redo` return what to choose again; the caller chooses it and then says so with `see`:
//
//   history.see(chosen(selection), selection.held);            // once per update
//   if (auto change = history.undo(chosen(selection))) {
//     apply(*change, selection);
//     history.see(chosen(selection), selection.held, SelectionHistory::Cause::undo);
//   }

namespace warpscope {

// The part of a selection that undo restores.
struct Chosen {
  std::string scene;
  Configuration axes;
  std::string variant, baseline, device, baseline_device;
  Pins pins;
  std::map<std::string, DescriptionEdits> launches;
  NamedBaselines baselines;
  bool operator==(const Chosen&) const = default;
};
Chosen chosen(const Selection& selection);

class SelectionHistory {
 public:
  static constexpr std::size_t kMost = 200;  // changes that undo leads back through

  enum class Cause { person, undo, redo };
  // Remembers a change and returns whether there was one. All changes of one drag (`held`) are
  // undone together. A change by a person ends what redo could bring back.
  bool see(const Chosen& now, bool held, Cause cause = Cause::person);
  // The history begins here: undo does not lead to what was chosen before the next change.
  void begin(Chosen now) { seen_ = std::move(now); }
  const Chosen& seen() const { return seen_; }  // what was seen last

  // Empty: there is nothing to undo. `now` is what redo leads back to.
  std::optional<Chosen> undo(const Chosen& now);
  std::optional<Chosen> redo();

  // Devices of a session that is no longer open are replaced in all that is remembered.
  void choose_device(const std::string& device);
  // The same for the named baselines of a session.
  void choose_baselines(const NamedBaselines& baselines);

 private:
  template <typename Change>
  void change_all(const Change& change);
  std::deque<Chosen> past_, future_;  // the newest last
  Chosen seen_;
  bool held_ = false;  // the last change came from a slider that is still dragged
};

}  // namespace warpscope
