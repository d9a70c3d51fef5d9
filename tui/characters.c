/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes characters, and finds their widths in columns. The widths come from short tables of the
 * scripts that take two columns and of the marks that take none. The tables need not be complete.
 * If wcwidth(3) has another width for a character, screen.c shows a '?'.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/utf8.h"
#include "canvas.h"

struct range {
    uint32_t first, last;
};

static const struct range none[] = {
    {0xad, 0xad},     {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
    {0x64b, 0x65f},   {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe01ef},
};

static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x3029},   {0x302e, 0x303e},   {0x3041, 0x3098},   {0x309b, 0x3247},
    {0x3250, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x1b2fb}, {0x1f300, 0x1f320}, {0x1f330, 0x1f335},
    {0x1f340, 0x1f37c}, {0x1f400, 0x1f43e}, {0x1f442, 0x1f4fc}, {0x1f500, 0x1f53d},
    {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static bool ranges_have(const struct range *ranges, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count && ranges[i].first <= character; i++)
        if (character <= ranges[i].last)
            return true;
    return false;
}

static int character_width(uint32_t character)
{
    if (character < none[0].first)
        return 1;
    if (ranges_have(none, sizeof none / sizeof *none, character))
        return 0;
    return ranges_have(wide, sizeof wide / sizeof *wide, character) ? 2 : 1;
}

uint32_t character_next(const char **at, int *width)
{
    *width = 0;
    if (**at == '\0')
        return 0;
    uint32_t character = utf8_decode(at);
    bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    *width = 1;
    if (control || (character & 0xfffe) == 0xfffe) /* noncharacters, such as U+FFFE, and UTF8_NONE */
        return '?';
    *width = character_width(character);
    return character;
}

int characters_width(const char *text, int most)
{
    int columns = 0, width;

    while (columns < most && character_next(&text, &width) != 0)
        columns += width;
    return columns < most ? columns : most;
}
