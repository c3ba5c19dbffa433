// What is written for spreadsheets and terminals runs nothing there.

#include <gtest/gtest.h>

#include "engine/core/csv.h"
#include "engine/core/printable.h"

namespace sluice::text_output_test {

std::string rowOf(const std::string& field) {
  CsvTable table({"a"});
  table.clear();
  table.row({field});
  return table.text();
}

TEST(Csv, FieldsThatASpreadsheetWouldRunAreText) {
  EXPECT_EQ(rowOf("=1+1"), "'=1+1\r\n");
  EXPECT_EQ(rowOf("@SUM(A1)"), "'@SUM(A1)\r\n");
  EXPECT_EQ(rowOf("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0\r\n");
  EXPECT_EQ(rowOf("+cmd"), "'+cmd\r\n");
  EXPECT_EQ(rowOf("=\"x\",1"), "\"'=\"\"x\"\",1\"\r\n");
  EXPECT_EQ(rowOf("\t=1"), "'\t=1\r\n");
}

TEST(Csv, NumbersAndWordsStayAsTheyAre) {
  for (const char* field : {"-5", "+7", "-1.5e-9", "0", "-", "ia+ca", "a=b", "'quoted", ""})
    EXPECT_EQ(rowOf(field), std::string(field) + "\r\n");
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[31mred\x1b[0m"), "a\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("bell\a back\b return\r delete\x7f"), "bell\\x07 back\\x08 return\\x0d delete\\x7f");
  EXPECT_EQ(printable("c1 \xc2\x9b"
                      "31m"),
            "c1 \\xc2\\x9b31m");
  EXPECT_EQ(printable(std::string("nul\0end", 7)), "nul\\x00end");
}

TEST(Printable, TextStaysText) {
  for (const char* text : {"two\nlines\tand a tab",
                           "8\xc3\x97"
                           "7",
                           "\xe2\x86\x92", "\xc2\xb5s", ""})
    EXPECT_EQ(printable(text), text);
}

}  // namespace sluice::text_output_test
