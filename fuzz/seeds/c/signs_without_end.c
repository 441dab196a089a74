static int counter;
int main(void)
{
    int a = 0;
    -------------------------------------------------------------------------=-a;
    counter += 2;
    return counter;
}
