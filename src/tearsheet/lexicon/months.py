"""Names of the months as pages and feeds write them, full and short, in the languages that news is written in."""

from __future__ import annotations

_NAMES = """
en january february march april may june july august september october november december
en jan feb mar apr may jun jul aug sep oct nov dec
en jan feb mar apr may june july aug sept oct nov dec
de januar februar märz april mai juni juli august september oktober november dezember
de jänner feber mrz apr mai jun jul aug sep okt nov dez
de jan feb maerz apr mai jun jul aug sept okt nov dez
fr janvier février mars avril mai juin juillet août septembre octobre novembre décembre
fr janv févr mars avr mai juin juil aout sept oct nov déc
fr janv fevrier mars avr mai juin juill aoû sept oct nov decembre
fr janv fév mars avr mai juin juil août sept oct nov déc
es enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
es ene feb mar abr may jun jul ago setiembre oct nov dic
ca gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
it gen feb mar apr mag giu lug ago set ott nov dic
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
pt jan fev marco abr mai jun jul ago set out nov dez
nl januari februari maart april mei juni juli augustus september oktober november december
nl jan feb mrt apr mei jun jul aug sep okt nov dec
af januarie februarie maart april mei - - augustus september oktober november desember
sv januari februari mars april maj juni juli augusti september oktober november december
da januar februar marts april maj juni juli august september oktober november december
no januar februar mars april mai juni juli august september oktober november desember
no jan feb mars apr mai juni juli aug sep okt nov des
fi tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
fi tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
fi tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
et jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
lv janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
lt sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
pl stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
pl sty lut mar kwi maj cze lip sie wrz paź lis gru
pl styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
cs ledna února března dubna května června července srpna září října listopadu prosince
cs leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
cs led úno bře dub kvě čvn čvc srp zář říj lis pro
sk januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
sk január február marec - máj jún júl august september október november december
sl januarja februarja marca - maja junija julija avgusta septembra oktobra novembra decembra
hr siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca
hr sijecanj veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna - studenog prosinca
sr januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
sr јануар фебруар март април мај јун јул август септембар октобар новембар децембар
mk - - - - - јуни јули - - - - -
bg януари февруари март април май юни юли август септември октомври ноември декември
hu január február március április május június július augusztus szeptember október november december
hu jan feb márc ápr máj jún júl aug szept okt nov dec
hu jan febr márc ápr máj jún júl aug szept okt nov dec
ro ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ro ian feb mar apr mai iun iul aug sept oct noi dec
tr ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
tr oca şub mar nis may haz tem ağu eyl eki kas ara
id januari februari maret april mei juni juli agustus september oktober november desember
id jan peb mar apr mei jun jul agu sep okt nop des
ru января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ru янв фев мар апр май июн июл авг сен окт ноя дек
ru январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
ru янв февр март апр май июнь июль авг сент окт нояб дек
uk січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
uk січ лют бер кві тра чер лип сер вер жов лис гру
el ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
el ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ
el ιαν φεβ μαρ απρ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ
el ιαν φεβ μάρ απρ μαϊ ιον ιολ αυγ σεπ οκτ νοεμ δεκ
el ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαίου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
ar يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ar يناير فبراير مارس ابريل مايو يونيه يوليه اغسطس سبتمبر اكتوبر نوفمبر ديسمبر
ar يناير فبراير مارس إبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ar - شباط آذار نيسان أيار حزيران تموز آب أيلول - - -
fa ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
fa ژانویه فوریه مارس آوریل مه ژوئن جولای اوت سپتامبر اکتبر نوامبر دسامبر
he ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
he בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר
hi जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
hi जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर
bn জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
bn জানুয়ারী ফেব্রুয়ারী মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
ta ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்
th มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
"""
"""A line for each way in which a language writes the twelve months, in lower case; `-` where no name is listed."""

AMBIGUOUS_MONTHS = {"listopada": 11}
"""A name that means different months in two languages, with the likelier one: November in Polish, October in Croatian."""


def names_by_month() -> dict[str, set[int]]:
    """Each name with the numbers of all months that it means in some language."""
    found: dict[str, set[int]] = {}
    for line in _NAMES.strip().splitlines():
        for number, name in enumerate(line.split()[1:], start=1):
            if name != "-":
                found.setdefault(name, set()).add(number)
    return found


MONTHS = {name: min(numbers) for name, numbers in names_by_month().items() if len(numbers) == 1}
"""The number of a month by its name in lower case; only names that mean the same month in every language."""
