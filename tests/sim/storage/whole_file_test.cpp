// SPDX-License-Identifier: BSD-2-Clause
// Files written and read as a whole, and places where that cannot be done.
#include "sim/storage/whole_file.hpp"

#include <gtest/gtest.h>

#include "sim/robot_files.hpp"

namespace tactum::sim::whole_file_test {
namespace {

TEST(WholeFile, ReadsWhatWasWritten) {
  const robot_files::TemporaryFile file(".txt");
  for (const std::string& text : {std::string("first"), std::string(200'000, 'x'), std::string()}) {
    write_whole_file(file.path(), text);
    EXPECT_EQ(read_whole_file(file.path()), text);
    EXPECT_FALSE(std::filesystem::exists(file.path() + ".partial"));
  }
}

TEST(WholeFile, NamesThePathThatCannotBeUsed) {
  EXPECT_THROW(write_whole_file("/no/such/folder/file", "x"), InvalidInput);
  EXPECT_THROW(read_whole_file("/no/such/file"), InvalidInput);
  EXPECT_THROW(read_whole_file("/"), InvalidInput);
}

}  // namespace
}  // namespace tactum::sim::whole_file_test
