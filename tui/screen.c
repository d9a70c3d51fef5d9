/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads keys from the terminal and shows canvases on it. Curses does both, and sends only cells that have changed.
 *
 * The terminal is restored without curses. screen_open notes the terminal's settings, and the sequences that undo the
 * changes of curses. So screen_close needs only write(2) and tcsetattr(3), and a signal handler may call it at any
 * point. The signal handlers of curses are not used. Instead, the terminal's size is read before each key. The handler
 * of SIGWINCH does nothing, but the signal interrupts poll(2) in the loop, so that a new size is read immediately.
 */
#include "config.h"

#include "screen-curses.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "screen.h"

#define ESCAPE_MS 25   /* ms after ESC in which the rest of a key's sequence must come */
#define ROWS_MAX 1000 /* a terminal that reports more rows reports a wrong size */
#define COLUMNS_MAX 4000

static struct {
    volatile sig_atomic_t open;
    struct termios settings; /* the terminal's settings before screen_open */
    char leave[512];         /* sequences that undo the changes of curses */
    size_t leave_length;
    bool utf8;
    attr_t looks[STYLE_COUNT];
    short pairs[STYLE_COUNT];
} screen;

/* --- taking the terminal, and giving it back --------------------------------------------- */

static bool screen_size_is_sane(const struct winsize *size)
{
    return size->ws_row <= ROWS_MAX && size->ws_col <= COLUMNS_MAX;
}

/* Signals for which curses sets handlers. screen_open puts their former handlers back. */
static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define TAKEN (sizeof taken / sizeof *taken)

static void screen_interrupt(int number)
{
    (void)number;
}

static SCREEN *screen_start_curses(void)
{
    struct sigaction before[TAKEN];
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && !screen_size_is_sane(&size))
        use_env(FALSE);
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], NULL, &before[i]);
    SCREEN *curses = newterm(NULL, stdout, stdin);
    for (size_t i = 0; i < TAKEN; i++) {
        if (taken[i] == SIGWINCH && before[i].sa_handler == SIG_DFL)
            before[i] = (struct sigaction){.sa_handler = screen_interrupt};
        sigaction(taken[i], &before[i], NULL);
    }
    return curses;
}

/* Defines the keys that nearly all terminals send, for terminals whose descriptions lack them (vt100). Otherwise the
 * sequence of PgDn would be read as the keys Escape and 6, and 6 opens a view. */
static void screen_define_common_keys(void)
{
    static const struct {
        const char *sequence;
        int key;
    } common[] = {
        {"\033[1~", KEY_HOME},   {"\033[4~", KEY_END},   {"\033[H", KEY_HOME},
        {"\033[F", KEY_END},     {"\033OH", KEY_HOME},   {"\033OF", KEY_END},
        {"\033[5~", KEY_PPAGE},  {"\033[6~", KEY_NPAGE}, {"\033[3~", KEY_DC},
        {"\033[Z", KEY_BTAB},    {"\033[15~", KEY_F(5)}, {"\033[17~", KEY_F(6)},
        {"\033[18~", KEY_F(7)},  {"\033[19~", KEY_F(8)}, {"\033[20~", KEY_F(9)},
        {"\033[21~", KEY_F(10)},
    };

    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (key_defined(common[i].sequence) == 0)
            define_key(common[i].sequence, common[i].key);
}

static void screen_set_modes(void)
{
    raw(); /* Ctrl-C is a key like any other */
    noecho();
    nonl();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    screen_define_common_keys();
    set_escdelay(ESCAPE_MS);
    mouseinterval(0); /* every click is an event; screen-keys.c recognizes double clicks */
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    curs_set(0);
}

int screen_open(void)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &screen.settings) != 0)
        return -ENOTTY;
    setlocale(LC_CTYPE, "");
    screen.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!screen_usable() || screen_start_curses() == NULL)
        return -ENODEV;
    screen.leave_length = screen_leaving(screen.leave, sizeof screen.leave);
    screen.open = 1;
    screen_set_modes();
    screen_looks(screen.looks, screen.pairs);
    return 0;
}

void screen_close(void)
{
    size_t sent = 0;
    int error = errno;

    if (!screen.open)
        return;
    screen.open = 0;
    while (sent < screen.leave_length) {
        ssize_t more = write(STDOUT_FILENO, screen.leave + sent, screen.leave_length - sent);
        if (more < 0 && errno != EINTR)
            break;
        sent += more > 0 ? (size_t)more : 0;
    }
    while (tcsetattr(STDIN_FILENO, TCSANOW, &screen.settings) != 0 && errno == EINTR)
        continue;
    errno = error;
}

/* Gives the terminal back by endwin(3), which signal handlers must not call. The next refresh takes the terminal again.
 * Until screen_resume is called, screen_close does nothing, because the terminal is restored already. */
void screen_suspend(void)
{
    endwin();
    tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.settings);
    screen.open = 0;
}

/* If we are in the background, reset_prog_mode(3) stops us until we are in the foreground again, because it calls
 * tcsetattr(3), which raises SIGTTOU. */
void screen_resume(void)
{
    screen.open = 1;
    reset_prog_mode();
}

/* --- size ---------------------------------------------------------------------------------- */

bool screen_resized(void)
{
    struct winsize size;
    int rows, columns;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0 ||
        !screen_size_is_sane(&size))
        return false;
    getmaxyx(stdscr, rows, columns);
    if (size.ws_row == rows && size.ws_col == columns)
        return false;
    /* paints all cells again, because terminals differ in what they keep on the screen when they are resized */
    clearok(curscr, TRUE);
    return resize_term(size.ws_row, size.ws_col) == OK;
}

void screen_size(int *rows, int *columns)
{
    getmaxyx(stdscr, *rows, *columns);
}

bool screen_utf8(void)
{
    return screen.utf8;
}

int screen_fd(void)
{
    return STDIN_FILENO;
}

/* --- showing ------------------------------------------------------------------------------- */

/* Makes a cell for curses. If wcwidth(3) returns another width for the character than the canvas
 * has, the character would shift the rest of the line. Such a character becomes a '?'. */
static void screen_make_cell(const struct canvas *canvas, int row, int column, cchar_t *made)
{
    const struct cell *cell = &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
    bool wide = column + 1 < canvas->columns && cell[1].character == 0;
    wchar_t text[2] = {(wchar_t)cell->character, 0};

    if (text[0] == 0)
        text[0] = L' ';
    else if (wcwidth(text[0]) != (wide ? 2 : 1))
        text[0] = L'?';
    setcchar(made, text, screen.looks[cell->style], screen.pairs[cell->style], NULL);
}

/* Returns true if the cell is the right half of a wide character. Such a cell is not passed to
 * curses, which fills both halves from the left one. */
static bool screen_is_right_half(const struct canvas *canvas, int row, int column)
{
    const struct cell *cell = &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];

    return column > 0 && cell->character == 0 && cell[-1].character != 0 && wcwidth((wchar_t)cell[-1].character) == 2;
}

static void screen_show_row(const struct canvas *canvas, int row, int columns)
{
    cchar_t line[COLUMNS_MAX];
    int count = 0;

    for (int column = 0; column < columns && count < COLUMNS_MAX; column++)
        if (!screen_is_right_half(canvas, row, column))
            screen_make_cell(canvas, row, column, &line[count++]);
    mvadd_wchnstr(row, 0, line, count);
}

void screen_show(const struct canvas *canvas, bool all)
{
    int rows, columns;

    if (!screen.open)
        return;
    screen_size(&rows, &columns);
    erase();
    for (int row = 0; row < rows && row < canvas->rows; row++)
        screen_show_row(canvas, row, columns < canvas->columns ? columns : canvas->columns);
    if (canvas->cursor_row >= 0 && canvas->cursor_row < rows && canvas->cursor_column < columns) {
        curs_set(1);
        move(canvas->cursor_row, canvas->cursor_column);
    } else {
        curs_set(0);
    }
    if (all)
        clearok(curscr, TRUE);
    refresh();
}
