// workbench/workspace/selection/memo.h: the last answer to a question, kept with what it was made
// of.
#pragma once

#include <optional>
#include <utility>

// What is drawn is asked for many times per frame and changes rarely. A memo makes the answer again
// only if its key is another one:
//
//   struct RowsKey {
//     std::uint64_t revision = 0;
//     std::string scene;
//     bool operator==(const RowsKey&) const = default;
//   };
//   Memo<RowsKey, Rows> rows;
//   draw(rows.of(RowsKey{revision, scene}, [&] { return make_rows(session, scene); }));
//
// A key is a struct or a tuple that is compared member by member, never a text joined of its parts:
// two points whose names run together must not share an answer. A tuple may be passed as one of
// references (std::tie): it is copied only when the answer is made.
//
// LastKey keeps the key alone. Use it where another key changes more than one answer, such as the
// view of a plot and what is chosen in it:
//
//   LastKey<RowsKey> shown;
//   if (shown.changes_to({revision, scene})) view = {}, chosen = -1;

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

template <typename Key>
class LastKey {
 public:
  // Whether `key` differs from that of the last call, or is the first one.
  bool changes_to(Key key) {
    if (last_ && *last_ == key) return false;
    last_ = std::move(key);
    return true;
  }
  // The key of the last call; empty before the first one.
  const std::optional<Key>& last() const { return last_; }
  // The next key is another one, whatever it is.
  void forget() { last_.reset(); }

 private:
  std::optional<Key> last_;
};

}  // namespace warpscope
