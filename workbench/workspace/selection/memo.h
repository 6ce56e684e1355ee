// workbench/workspace/selection/memo.h: the last answer to a question, kept with what it was made
// of.
#pragma once

#include <optional>

// What is drawn is asked for many times per frame and changes rarely. A memo makes the answer again
// only if its key is another one:
//
//   Memo<std::tuple<std::uint64_t, std::string>, Rows> rows;
//   draw(rows.of(std::tie(revision, scene), [&] { return make_rows(session, scene); }));
//
// The key that is passed may be a tuple of references: it is copied only when the answer is made.

namespace warpscope {

template <typename Key, typename T>
class Memo {
 public:
  // The answer for `key`: the kept one, or what `make()` returns if another key was asked for last.
  template <typename Asked, typename Make>
  T& of(const Asked& key, const Make& make) {
    if (!kept_ || !(kept_->key == key)) {
      kept_.reset();
      kept_.emplace(Kept{Key(key), make()});
    }
    return kept_->value;
  }
  // The answer is made again when it is next asked for, whatever the key.
  void forget() { kept_.reset(); }

 private:
  struct Kept {
    Key key;
    T value;
  };
  std::optional<Kept> kept_;
};

}  // namespace warpscope
