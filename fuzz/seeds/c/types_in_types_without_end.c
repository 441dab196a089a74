typedef int number;
int f(number(number(number(number(number(number(number(number(number(number(number(number(number(number(number(number(number(
    number(number(number(number(number(number(number(number(number(number(number(number(number(number(number(number(=))))))))))))))))))))))))))))))))));
static int counter;
struct wide { int a[sizeof(struct { int a[sizeof(struct { int a[sizeof(struct { int a[sizeof(struct { int a[sizeof(struct { int a[sizeof(struct { int a[sizeof(=)]; })]; })]; })]; })]; })]; })]; };
int main(void)
{
    counter = sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(
        number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[sizeof(number[=])])])])])])])])])])])])])])])])]);
    return counter;
}
