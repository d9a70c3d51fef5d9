/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What terminfo says of a terminal: whether it can show a screen, and what to send it to undo
 * what curses has done. By term.h, whose macros are too many to be let into another file. */
#include "config.h"

#include "screen-curses.h"

#include <string.h>
#include <term.h>
#include <unistd.h>

bool screen_usable(void)
{
    int error;

    if (setupterm(NULL, STDOUT_FILENO, &error) != OK)
        return false;
    bool usable = cursor_address != NULL && !hard_copy;
    del_curterm(cur_term);
    return usable;
}

/* Adds a sequence without the times to wait, "$<5>", of terminals slower than any there is. */
static size_t screen_terminfo_add(char *text, size_t size, size_t used, const char *sequence)
{
    const char *at = sequence == NULL || sequence == (char *)-1 ? "" : sequence;

    while (*at != '\0' && used < size) {
        size_t wait = at[0] == '$' && at[1] == '<' ? strcspn(at, ">") : 0;
        if (wait > 0 && at[wait] == '>')
            at += wait + 1;
        else
            text[used++] = *at++;
    }
    return used;
}

size_t screen_leaving(char *text, size_t size)
{
    size_t used = 0;

    if (key_mouse != NULL) /* has_mouse() is not true yet */
        used = screen_terminfo_add(text, size, used, "\033[?1006l\033[?1000l");
    used = screen_terminfo_add(text, size, used, exit_attribute_mode);
    used = screen_terminfo_add(text, size, used, orig_pair);
    used = screen_terminfo_add(text, size, used, keypad_local);
    used = screen_terminfo_add(text, size, used, cursor_normal);
    if (exit_ca_mode != NULL)
        return screen_terminfo_add(text, size, used, exit_ca_mode);
    /* without a screen of our own, the shell goes on below: terminals take the last line for a
     * line that they do not have */
    if (cursor_address != NULL)
        used = screen_terminfo_add(text, size, used, tparm(cursor_address, 998, 0, 0, 0, 0, 0, 0, 0, 0));
    return screen_terminfo_add(text, size, used, "\r\n");
}
