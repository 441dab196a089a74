/* Stands for a checker of sequential programs: tries every choice, up to so many on a path, each in a process of its own. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int depth;
int driver_choose(void) {
    if (++depth > DEPTH) _exit(0);
    for (int value = 0; value < 2; value++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) return value;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 70) _exit(70);
    }
    _exit(0);
}
void driver_assume(int condition) { if (!condition) _exit(0); }
void driver_fail(void) { _exit(70); }
